(method name: (_) @method)
(singleton_method name: (_) @method)
(alias name: (identifier) @method)
(class name: [(constant) @class (scope_resolution name: (constant) @class)])
(module name: [(constant) @module (scope_resolution name: (constant) @module)])
(assignment left: (constant) @constant)
(assignment left: (scope_resolution name: (constant) @constant))

(call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @field)
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor"))
(call
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @method)
  (#any-of? @_method "define_method" "alias_method"))
