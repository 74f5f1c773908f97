; Also the first part of the query for C++. Prototypes are not definitions.
(function_definition declarator: (function_declarator declarator: (identifier) @function))
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @function)))
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @function))))

; An include guard.
(preproc_ifdef name: (identifier) @_guard . (preproc_def name: (identifier) @ignore !value) (#eq? @_guard @ignore))
(preproc_def name: (identifier) @macro)
(preproc_function_def name: (identifier) @macro)

(struct_specifier name: (type_identifier) @struct body: (_))
(union_specifier name: (type_identifier) @struct body: (_))
(enum_specifier name: (type_identifier) @enum body: (_))
(enumerator name: (identifier) @constant)
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_))] declarator: (type_identifier) @struct)
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @enum)
(type_definition declarator: (type_identifier) @type)
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @type))
(type_definition declarator: (array_declarator declarator: (type_identifier) @type))
(type_definition
  declarator: (function_declarator
    declarator: [
      (type_identifier) @type
      (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @type))
    ]))
(type_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @type)))))

(field_declaration declarator: (field_identifier) @field)
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @field))
(field_declaration
  declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @field)))
(field_declaration declarator: (array_declarator declarator: (field_identifier) @field))
(field_declaration
  declarator: (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @field)))
(field_declaration
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @field))))

; Variables outside of functions. A conditional section may be anywhere, so that some local variables are listed too.
(declaration (storage_class_specifier "extern") declarator: (identifier) @ignore)
(declaration (storage_class_specifier "extern") declarator: (pointer_declarator declarator: (identifier) @ignore))
(declaration (storage_class_specifier "extern") declarator: (array_declarator declarator: (identifier) @ignore))
(translation_unit
  (declaration
    declarator: [
      (identifier) @variable
      (pointer_declarator declarator: (identifier) @variable)
      (array_declarator declarator: (identifier) @variable)
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
      (init_declarator
        declarator: [
          (identifier) @variable
          (pointer_declarator declarator: (identifier) @variable)
          (array_declarator declarator: (identifier) @variable)
          (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
        ])
    ]))
(preproc_ifdef
  (declaration
    declarator: [
      (identifier) @variable
      (pointer_declarator declarator: (identifier) @variable)
      (array_declarator declarator: (identifier) @variable)
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
      (init_declarator
        declarator: [
          (identifier) @variable
          (pointer_declarator declarator: (identifier) @variable)
          (array_declarator declarator: (identifier) @variable)
          (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
        ])
    ]))
(preproc_if
  (declaration
    declarator: [
      (identifier) @variable
      (pointer_declarator declarator: (identifier) @variable)
      (array_declarator declarator: (identifier) @variable)
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
      (init_declarator
        declarator: [
          (identifier) @variable
          (pointer_declarator declarator: (identifier) @variable)
          (array_declarator declarator: (identifier) @variable)
          (pointer_declarator declarator: (array_declarator declarator: (identifier) @variable))
        ])
    ]))
