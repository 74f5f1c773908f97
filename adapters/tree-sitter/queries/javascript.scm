; Of one name, the first pattern that matches counts. A name captured as "ignore" is no definition.

; An import in the CommonJS form.
(variable_declarator
  name: (identifier) @ignore
  value: (call_expression function: (identifier) @_callee)
  (#eq? @_callee "require"))

(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(class_declaration name: (_) @class)
(method_definition name: [(property_identifier) (private_property_identifier)] @method)

; Functions and classes as values, also inside of functions.
(variable_declarator
  name: (identifier) @function
  value: [(arrow_function) (function_expression) (generator_function)])
(variable_declarator name: (identifier) @class value: (class))
(assignment_expression
  left: (member_expression property: (property_identifier) @function)
  right: [(arrow_function) (function_expression) (generator_function)])
(assignment_expression
  left: (member_expression property: (property_identifier) @class)
  right: (class))

; Other values at the top level alone.
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @constant)))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @variable)))
(program (variable_declaration (variable_declarator name: (identifier) @variable)))
(export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @constant)))
(export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @variable)))
(export_statement (variable_declaration (variable_declarator name: (identifier) @variable)))
