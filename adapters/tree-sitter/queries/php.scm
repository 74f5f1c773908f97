(namespace_definition name: (namespace_name) @module)
(class_declaration name: (name) @class)
(interface_declaration name: (name) @interface)
(trait_declaration name: (name) @trait)
(enum_declaration name: (name) @enum)
(enum_case name: (name) @constant)

(function_definition name: (name) @function)
(method_declaration name: (name) @method)
(property_element name: (variable_name (name) @field))
(property_promotion_parameter name: (variable_name (name) @field))
(const_element (name) @constant)
(function_call_expression
  function: (name) @_callee
  arguments: (arguments . (argument (string (string_content) @constant)))
  (#eq? @_callee "define"))
