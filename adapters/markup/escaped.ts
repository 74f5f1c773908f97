// Text as HTML.
import { htmlEntity } from '#core/kernel/html';

/** Replaces control and bidirectional formatting characters by U+FFFD, so that invisible text becomes visible. */
export const visible = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\u{fffd}');

export const escaped = (text: string): string => visible(text).replaceAll(/[&<>"']/g, htmlEntity);
