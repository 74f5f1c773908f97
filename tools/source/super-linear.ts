// Finds regular expressions that can take more than linear time, by the ambiguity of their automaton, and a text to
// repeat that shows it. See Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression
// Matchers by Using Ambiguity of NFA" (2016).
import { parseExpression, type Node } from './expression-parser.ts';

export interface SuperLinear {
  readonly growth: 'exponential' | 'polynomial' | 'unknown';
  /** The text whose repetition, followed by a character that does not match, takes more than linear time. */
  readonly repeated: string;
}

/** A state of the automaton. */
interface State {
  /** The characters that the state consumes; undefined for a state that consumes nothing. */
  readonly reads?: ReadonlySet<string>;
  readonly condition?: 'start' | 'end' | 'other';
  readonly next: State[];
}

/** A state that consumes a character, with the states that can consume the next one. */
interface Position {
  readonly reads: ReadonlySet<string>;
  follow: readonly Position[];
  /** The states of `follow` that are reached in two ways. */
  twice: ReadonlySet<Position>;
  /** Whether the match is complete here, whatever text follows. */
  accepts: boolean;
}

/** Two parallel paths, and whether they have diverged. */
type Pair = readonly [Position, Position, boolean];
type Triple = readonly [Position, Position, Position];

const samples = new Set([
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\x85\xA0éßµİſK中\u2028\u202E\uFEFF\uFFFD\uD800',
]);
const newLines = new Set('\n\r\u2028\u2029');
/** A counted repetition up to this bound is unrolled; a larger one counts as unbounded. */
const longestUnrolled = 32;

/** The growth and the text that shows it; undefined if the expression takes linear time on every text. */
export function superLinear(expression: RegExp): SuperLinear | undefined {
  const parsed = parseExpression(expression);
  if (JSON.stringify(parsed).includes('"reference"')) return { growth: 'unknown', repeated: '' };
  const all = reach(automaton(expression, parsed));
  const ahead = new Map(all.map((position) => [position, new Set(position.follow.flatMap(reach))]));
  const loops = all.filter((position) => ahead.get(position)?.has(position) === true && !position.accepts);
  const letters = distinctLetters(all);
  /** Whether both are on one cycle. */
  const near = (one: Position, other: Position): boolean =>
    ahead.get(one)?.has(other) === true && ahead.get(other)?.has(one) === true;

  for (const home of loops) {
    // Two paths from a position back to itself that consume the same text: each repetition doubles the number of paths.
    const repeated = walk<Pair>([home, home, false], [home, home, true], letters, ([one, other, parted], letter) =>
      steps(one, letter).flatMap((first) =>
        steps(other, letter).flatMap((second): Pair[] =>
          near(first, home) && near(second, home) && !first.accepts
            ? [[first, second, parted || first !== second || (one === other && one.twice.has(first))]]
            : [],
        ),
      ),
    );
    if (repeated !== undefined) return { growth: 'exponential', repeated };
  }
  for (const from of loops)
    for (const to of loops) {
      if (from === to || ahead.get(from)?.has(to) !== true) continue;
      // One loop leads to another and both consume the same text: the number of paths grows with each repetition.
      const repeated = walk<Triple>([from, from, to], [from, to, to], letters, ([stays, goes, stayed], letter) =>
        steps(stays, letter).flatMap((first) =>
          near(first, from)
            ? steps(goes, letter).flatMap((second) =>
                second === to || ahead.get(second)?.has(to) === true
                  ? steps(stayed, letter).flatMap((third): Triple[] =>
                      near(third, to) && !third.accepts ? [[first, second, third]] : [],
                    )
                  : [],
              )
            : [],
        ),
      );
      if (repeated !== undefined) return { growth: 'polynomial', repeated };
    }
  return undefined;
}

const steps = (position: Position, letter: string): readonly Position[] =>
  position.follow.filter(({ reads }) => reads.has(letter));

/** The text along the shortest path of at least one step from `from` to `to`. */
function walk<Place extends readonly (Position | boolean)[]>(
  from: Place,
  to: Place,
  letters: readonly string[],
  step: (place: Place, letter: string) => readonly Place[],
): string | undefined {
  const numbers = new Map<Position | boolean, number>();
  const key = (place: Place): string =>
    place
      .map((part) => {
        const number = numbers.get(part) ?? numbers.size;
        numbers.set(part, number);
        return number;
      })
      .join();
  const seen = new Set<string>();
  const waiting: { place: Place; text: string }[] = [{ place: from, text: '' }];
  for (const { place, text } of waiting)
    for (const letter of letters)
      for (const next of step(place, letter)) {
        if (key(next) === key(to)) return text + letter;
        if (seen.has(key(next))) continue;
        seen.add(key(next));
        waiting.push({ place: next, text: text + letter });
      }
  return undefined;
}

function reach(start: Position): Position[] {
  const seen = new Set([start]);
  for (const position of seen) for (const next of position.follow) seen.add(next);
  return [...seen];
}

/** One letter for each set of letters that the expression distinguishes. */
function distinctLetters(all: readonly Position[]): string[] {
  const kinds = new Map<string, string>();
  // Word characters are tried first, so that the reported text is readable.
  for (const letter of [...samples].toSorted((one, other) => Number(/\w/.test(other)) - Number(/\w/.test(one)))) {
    const kind = all.map(({ reads }) => Number(reads.has(letter))).join('');
    if (!kinds.has(kind)) kinds.set(kind, letter);
  }
  return [...kinds.values()];
}

/** The automaton of a search: the states before the expression restart it at every character. */
function automaton(expression: RegExp, parsed: Node): Position {
  const accept: State = { next: [] };
  const entry = build(parsed, accept, expression.flags.replaceAll(/[gyd]/g, ''));
  const made = new Map<State, Position>();

  const positionOf = (state: State, reads: ReadonlySet<string>): Position => {
    const known = made.get(state);
    if (known !== undefined) return known;
    const position: Position = { reads, follow: [], twice: new Set(), accepts: false };
    made.set(state, position);
    const [next] = state.next;
    return next === undefined ? position : Object.assign(position, after(next, reads, expression.multiline));
  };

  /** The positions that can consume a character after `state`, if the character before is one of `before`. */
  const after = (
    state: State,
    before: ReadonlySet<string>,
    mayStart: boolean,
  ): Pick<Position, 'follow' | 'twice' | 'accepts'> => {
    const visits = new Map<State, number>();
    const follow = new Set<Position>();
    const twice = new Set<Position>();
    const ends: boolean[] = [];
    const visit = (at: State, conditions: ReadonlySet<State['condition']>): void => {
      const count = (visits.get(at) ?? 0) + 1;
      visits.set(at, count);
      if (count > 2 || (at.condition === 'start' && !mayStart)) return;
      if (at === accept) ends.push(!conditions.has('start') && !conditions.has('other') && !conditions.has('end'));
      // A position that consumes every character reaches the end of the text, so an end condition after it always
      // holds.
      if (at === accept && conditions.size === 1 && conditions.has('end') && !expression.multiline)
        ends.push(before.size === samples.size && [...follow].some(({ reads }) => reads === before));
      if (at.reads !== undefined) {
        const next = positionOf(at, at.reads);
        (follow.has(next) ? twice : follow).add(next);
        return;
      }
      for (const next of at.next)
        visit(next, at.condition === undefined ? conditions : new Set([...conditions, at.condition]));
    };
    visit(state, new Set());
    return { follow: [...follow], twice, accepts: ends.includes(true) };
  };

  const none: ReadonlySet<string> = new Set();
  const searching = (reads: ReadonlySet<string>, mayStart: boolean): Position => ({
    reads,
    ...after(entry, none, mayStart),
  });
  const searches = expression.sticky
    ? []
    : expression.multiline
      ? [searching(newLines, true), searching(samples.difference(newLines), false)]
      : [searching(samples, false)];
  for (const search of searches) search.follow = [...searches, ...search.follow];
  const first = after(entry, none, true);
  return { reads: none, ...first, follow: first.accepts ? first.follow : [...searches, ...first.follow] };
}

/** The states of a part of the expression, continuing at `next`. */
function build(node: Node, next: State, flags: string): State {
  switch (node.kind) {
    case 'character': {
      const alone = new RegExp(`^(?:${node.source})$`, flags);
      return { reads: new Set([...samples].filter((letter) => alone.test(letter))), next: [next] };
    }
    case 'sequence':
      return node.parts.reduceRight((following, part) => build(part, following, flags), next);
    case 'choice':
      return { next: node.parts.map((part) => build(part, next, flags)) };
    case 'condition':
      return { condition: node.is === 'word' ? 'other' : node.is, next: [next] };
    case 'look':
      // A lookaround is a separate path that leads nowhere, because its text is consumed again by the rest.
      return { next: [{ condition: 'other', next: [next] }, build(node.body, { next: [] }, flags)] };
    case 'repeat':
      return repetition(node, next, flags);
    case 'reference':
      return next;
  }
}

function repetition({ body, min, max }: Node & { kind: 'repeat' }, next: State, flags: string): State {
  const endless = max > longestUnrolled;
  let entry = next;
  if (endless) {
    const loop: State = { next: [] };
    loop.next.push(build(body, loop, flags), next);
    entry = loop;
  } else for (let count = min; count < max; count++) entry = { next: [build(body, entry, flags), next] };
  for (let count = 0; count < Math.min(min, longestUnrolled); count++) entry = build(body, entry, flags);
  return entry;
}
