// Headers that are lists (RFC 9110, section 5.6.1). Node joins the lines of a repeated header with commas.

/** The elements without blanks around them. Empty elements are ignored. */
export const listed = (value: string | undefined): readonly string[] =>
  value === undefined
    ? []
    : value
        .split(',')
        .map((element) => element.trim())
        .filter((element) => element !== '');
