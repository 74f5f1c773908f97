; Fields of classes, whose nodes differ between JavaScript and TypeScript.
(field_definition
  property: [(property_identifier) (private_property_identifier)] @method
  value: [(arrow_function) (function_expression)])
(field_definition property: [(property_identifier) (private_property_identifier)] @field)
