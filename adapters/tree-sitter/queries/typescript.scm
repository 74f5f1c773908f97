; What TypeScript adds to JavaScript.
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @method
  value: [(arrow_function) (function_expression)])
(public_field_definition name: [(property_identifier) (private_property_identifier)] @field)
(required_parameter (accessibility_modifier) pattern: (identifier) @field)
(required_parameter "readonly" pattern: (identifier) @field)

(abstract_class_declaration name: (_) @class)
(interface_declaration name: (_) @interface)
(type_alias_declaration name: (_) @type)
(enum_declaration name: (_) @enum)
(enum_body name: (property_identifier) @constant)
(enum_assignment name: (property_identifier) @constant)
(internal_module name: [(identifier) (nested_identifier)] @module)
(module name: [(identifier) (nested_identifier)] @module)
(module name: (string (string_fragment) @module))

; Overloads and declarations without a body.
(function_signature name: (identifier) @function)
(method_signature name: [(property_identifier) (private_property_identifier)] @method)
(abstract_method_signature name: (property_identifier) @method)
(interface_body (property_signature name: (property_identifier) @field))

(ambient_declaration (lexical_declaration kind: "const" (variable_declarator name: (identifier) @constant)))
(ambient_declaration (lexical_declaration kind: "let" (variable_declarator name: (identifier) @variable)))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @variable)))
