// The elements, attributes and classes that rendered Markdown may contain, after GitHub's list.

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Shown with their content. */
export const allowed = names(
  'h2 h3 h4 h5 h6 br b i strong em a pre code img div ins del sup sub p ol ul table thead tbody tfoot blockquote dl ' +
    'dt dd kbd q samp var hr ruby rt rp li tr td th s summary details caption figure figcaption abbr bdo bdi cite ' +
    'dfn mark small span time wbr section input',
);

/** Removed with their content. Of other elements, only the tags are removed. */
export const removed = names(
  'script style iframe object embed noscript template svg math textarea title select xmp noembed noframes plaintext ' +
    'frameset frame applet canvas audio video head button datalist meter progress',
);

/** Without an end tag. */
export const empty = names('br hr img wbr input');

/** In these, references are not looked for. */
export const literal = names('a code pre kbd samp var');

/** The page has the only heading of the first level. */
export const renamed: Readonly<Record<string, string>> = {
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
  tt: 'code',
  strike: 's',
};

/** The classes of our own renderers. Others are removed. */
export const classes = names(
  'callout callout-title note tip important warning caution task anchor footnotes footnote-ref footnote-backref ' +
    'tk ts tn tc tf tt ta tm ti td',
);

const number = /^\d{1,4}$/;

/** Attributes of every element. */
export const common: Readonly<Record<string, RegExp>> = {
  title: /^[^]{0,500}$/,
  lang: /^[a-zA-Z-]{1,20}$/,
  dir: /^(?:ltr|rtl|auto)$/,
};

/** Attributes of single elements, besides `href` and `src`. */
export const attributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  img: { width: number, height: number },
  td: { colspan: number, rowspan: number },
  th: { colspan: number, rowspan: number },
  ol: { start: /^-?\d{1,9}$/, reversed: /^/ },
  li: { value: /^-?\d{1,9}$/ },
  details: { open: /^/ },
  time: { datetime: /^[0-9TZ:.+-]{1,40}$/ },
};
