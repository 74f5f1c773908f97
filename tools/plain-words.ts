// The list of idioms that comments and test names do not use, each with a replacement, and the count of them.
// `node tools/plain-words.ts [PATH …]` prints every one found, and how many there are in 1,000 words of comments.
import { pathToFileURL } from 'node:url';
import type { SourceFile } from './layers.ts';
import { projectFiles } from './project-files.ts';
import { prose } from './source/prose.ts';

interface Idiom {
  readonly pattern: RegExp;
  readonly instead: string;
}

const idiom = (pattern: RegExp, instead: string): Idiom => ({ pattern, instead });

/** Word lists, so that each pattern reads as a rule. All ignore case. */
export const idioms: readonly Idiom[] = [
  // Terms that docs/glossary.md replaces.
  idiom(
    /\b(?:in|by|out of|takes?|took|taking|its|their|whose|next|own) turns?\b/gi,
    'name the queue, the slot or the event loop iteration',
  ),
  idiom(/\bturns? (?:of|at|in) the (?:event )?loop\b/gi, 'event loop iteration'),
  idiom(/\bleases?\b/gi, 'recheck interval, access recheck'),
  idiom(/\bpark(?:ed|s|ing)?\b/gi, 'dead letter, dead-lettered; a waiting request is queued'),
  idiom(/\bpatience\b/gi, 'time limit'),
  idiom(/\bbreath\w*\b/gi, 'say what waits, and for how long'),
  idiom(/\bspent (?:resource|disk|descriptor|memory)\w*\b/gi, 'exhausted resource'),
  idiom(/\bstrays?\b/gi, 'uncaught error'),
  idiom(/\bstand-ins?\b/gi, 'stub, placeholder'),
  idiom(/\b(?:bites?|bitten)\b/gi, 'terminates'),
  // Relative clauses as subjects and conditions.
  idiom(/\bwho(?:so)?ever\b/gi, 'a caller that, a process that'),
  idiom(/(?:^|[.;:!?] )(?:What|Who) (?!is for\b)/g, 'begin with the subject'),
  idiom(/(?:^|[.;!?] )Where (?!is\b)/g, 'If, When'),
  idiom(
    /\bwhat (?:is|was|are|were) (?:too|not|no|to be|said|told|done|made|held|left|there|known|asked|wanted|meant|kept|taken|given|due|going)\b/gi,
    'name the thing',
  ),
  idiom(/\b(?:of|for|from|to|by|with) what\b/gi, 'name the thing'),
  idiom(/\bto who\b/gi, 'to the caller that'),
  idiom(/\bthat which\b/gi, 'name the thing'),
  idiom(/\b(?:is|are|was|were) none\b/gi, 'does not exist, is undefined, returns nothing'),
  idiom(/\bthere (?:is|are) none\b/gi, 'does not exist'),
  // Verbs of speech and standing for things that neither speak nor stand.
  idiom(/\b(?:is|are|was|were|be|been|being) told\b/gi, 'receives, is given'),
  idiom(/\b(?:tells|tell|told)\b(?! apart)/gi, 'reports, returns, shows'),
  idiom(/\b(?:is|are|was|were|be|been) said\b/gi, 'is stated, is documented, is declared'),
  idiom(
    /\bsays? (?:so|nothing|no more|which|what|how|whether|that|where|when|who|it)\b/gi,
    'states, returns, names, declares',
  ),
  idiom(/\b(?:hears?|heard)\b/gi, 'receives'),
  idiom(/\bspeaks? for\b/gi, 'represents'),
  idiom(
    /\bstands? (?:there|where|still|alone|for|as|in the|on the|at|by|beside|before|behind|in its|in for)\b/gi,
    'exists, is, points to, remains valid',
  ),
  idiom(/\bstood\b/gi, 'existed, was, pointed to'),
  idiom(
    /\bgoes? (?:on|all|its|their|out|away|wrong|there|with|by|back|past|through|first|to the|without)\b/gi,
    'continues, is sent, is removed, fails',
  ),
  idiom(
    /\bcomes? (?:back|out|to|of|first|last|late|again|before|after|next|with|here|in|there)\b/gi,
    'returns, arrives, is called, follows',
  ),
  idiom(/\bbrought\b/gi, 'fetched, added, caused'),
  // Set phrases.
  idiom(/\ball the same\b/gi, 'still, anyway'),
  idiom(/\bas (?:it|they) (?:is|are|was|were|comes?|came|stands?|goes?)\b/gi, 'unchanged'),
  idiom(/\bas ever\b/gi, 'as usual'),
  idiom(/\bof (?:its|their) own\b/gi, 'its own, a separate'),
  idiom(/\bof ours\b/gi, 'our own'),
  idiom(/\bon paper\b/gi, 'without input or output'),
  idiom(/\bon (?:its|the|their) way\b/gi, 'in flight, pending'),
  idiom(/\bno longer than a time\b/gi, 'with a time limit'),
  idiom(/\bfor nothing\b/gi, 'needlessly'),
  idiom(/\bin vain\b/gi, 'without effect'),
  idiom(/\bin (?:the midst|one go|its stead)\b/gi, 'during, at once, instead'),
  idiom(/\bat rest\b/gi, 'idle'),
  idiom(/\bhardly\b/gi, 'almost not, slowly'),
  idiom(/\banyhow\b/gi, 'anyway'),
  idiom(/\banew\b/gi, 'again'),
  idiom(/\b(?:thereby|thereof|therein|whereof|hitherto|lest|save for|but for|in so far)\b/gi, 'plain words'),
  idiom(
    /\bnobody (?:says|said|asks|asked|knows|knew|reads|hears|waits|waited|holds|keeps|looks|sees|saw|wants|has|had|may|is|was|can)\b/gi,
    'name who does not',
  ),
  idiom(/\b(?:cannot|can not|could not) but\b/gi, 'must'),
  idiom(/\b(?:is|are|was|were) (?:its|their|his) own affair\b/gi, 'only affects'),
  idiom(/\bharms? (?:nobody|no one|nothing)\b/gi, 'has no effect'),
  idiom(/\b(?:does|do|did) without\b/gi, 'does not need, omits'),
  idiom(/\b(?:is|are|was|were) (?:to be )?rid of\b/gi, 'removes'),
  idiom(/\b(?:dear|dearer|dearest)\b/gi, 'expensive'),
  idiom(/\bmends?\b|\bmended\b/gi, 'fixes'),
  idiom(/\bfrom (?:then|now|there|here) on\b/gi, 'afterwards'),
  idiom(/\bas (?:long|little|few|much|many) as (?:may|can|it|there)\b/gi, 'say the bound'),
  idiom(/\b(?:put|puts|putting) (?:off|by|again|back)\b/gi, 'delays, stores, repeats'),
  idiom(/\bmost (?:of all )?that\b/gi, 'the maximum'),
  idiom(
    /\b(?:a|the) (?:word|moment|while|good deal|bit)\b(?! (?:of|in|at|after|before|that|when|later|a|or|and|boundary|is|from|to|for|with|list)\b)/gi,
    'say how long, or how much',
  ),
];

export interface IdiomFound {
  readonly file: string;
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

/** Every idiom in comments, and in specs also in the names of tests. */
export function findIdioms(files: readonly SourceFile[]): { readonly found: IdiomFound[]; readonly words: number } {
  const found: IdiomFound[] = [];
  let words = 0;
  for (const file of files)
    for (const { line, text } of prose(file)) {
      words += text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
      for (const { pattern, instead } of idioms)
        for (const match of text.matchAll(pattern))
          found.push({ file: file.path, line, words: match[0].trim(), instead });
    }
  return { found, words };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const under = process.argv.slice(2);
  const files = projectFiles(['ts', 'js']).filter(
    ({ path }) => path !== 'tools/plain-words.ts' && (under.length === 0 || under.some((one) => path.startsWith(one))),
  );
  const { found, words } = findIdioms(files);
  for (const { file, line, words: used, instead } of found)
    process.stdout.write(`${file}:${line}: "${used}"; write: ${instead}\n`);
  process.stdout.write(
    `${found.length} idioms in ${words} words of comments and test names: ${((found.length / Math.max(words, 1)) * 1000).toFixed(2)} per 1,000\n`,
  );
}
