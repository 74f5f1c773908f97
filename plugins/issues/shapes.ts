// Shapes that several nouns of this plugin have.
import { isDate, word } from 'hexforge/plugin';

/** A day of the calendar. */
export const day = () =>
  word()
    .custom((value: string, helpers) =>
      isDate(value)
        ? value
        : helpers.message({ custom: '"{#label}" must be a day of the calendar such as 2026-01-31' }),
    )
    .description('YYYY-MM-DD');
