; What C++ adds to C.
(class_specifier name: (type_identifier) @class body: (_))
(class_specifier name: (template_type name: (type_identifier) @class) body: (_))
(struct_specifier name: (template_type name: (type_identifier) @struct) body: (_))
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @module)
(alias_declaration name: (type_identifier) @type)
(concept_definition name: (identifier) @type)

; Members in the body of a class, defined or declared. The constructor has the form of a function.
(field_declaration_list
  (function_definition declarator: (function_declarator declarator: (identifier) @method)))
(field_declaration_list (declaration declarator: (function_declarator declarator: (identifier) @method)))
(field_declaration_list
  (template_declaration (declaration declarator: (function_declarator declarator: (identifier) @method))))
(function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @method)
(operator_cast type: (_) @method)

; Members defined outside of it, and functions of a namespace in the same form.
(function_declarator
  declarator: (qualified_identifier name: [(identifier) (destructor_name) (operator_name)] @method))
(function_declarator
  declarator: (qualified_identifier
    name: (qualified_identifier name: [(identifier) (destructor_name) (operator_name)] @method)))

(function_definition
  declarator: (reference_declarator (function_declarator declarator: (identifier) @function)))
(field_declaration declarator: (reference_declarator (field_identifier) @field))
(namespace_definition
  body: (declaration_list
    (declaration
      declarator: [(identifier) @variable (init_declarator declarator: (identifier) @variable)])))
