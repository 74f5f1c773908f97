(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(method_elem name: (field_identifier) @method)

(type_spec name: (type_identifier) @struct type: (struct_type))
(type_spec name: (type_identifier) @interface type: (interface_type))
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(field_declaration name: (field_identifier) @field)

(source_file (const_declaration (const_spec (identifier) @constant)))
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
