(namespace_declaration name: (_) @module)
(file_scoped_namespace_declaration name: (_) @module)
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(struct_declaration name: (identifier) @struct)
(enum_declaration name: (identifier) @enum)
(enum_member_declaration name: (identifier) @constant)
(delegate_declaration name: (identifier) @type)

(method_declaration name: (identifier) @method)
(constructor_declaration name: (identifier) @method)
(destructor_declaration name: (identifier) @method)
(local_function_statement name: (identifier) @function)

(field_declaration
  (modifier) @_modifier
  (variable_declaration (variable_declarator name: (identifier) @constant))
  (#eq? @_modifier "const"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @field)))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @field)))
(event_declaration name: (identifier) @field)
(property_declaration name: (identifier) @field)
(record_declaration (parameter_list (parameter name: (identifier) @field)))
