(class_definition body: (block (function_definition name: (identifier) @method)))
(class_definition
  body: (block (decorated_definition definition: (function_definition name: (identifier) @method))))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(type_alias_statement left: (type [(identifier) @type (generic_type . (identifier) @type)]))

; Assignments of modules and classes; those of functions are local.
(class_definition body: (block (expression_statement (assignment left: (identifier) @field))))
(module
  (expression_statement (assignment left: (identifier) @constant))
  (#match? @constant "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @variable)))
