// Relative times, with the exact time on hover.
import { html, type Html } from 'hexforge/plugin';

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Such as `3 hours ago` or `yesterday`. */
export function relativeTime(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  return unit === undefined || size === undefined ? 'just now' : words.format(Math.trunc(seconds / size), unit);
}

/** @param date An invalid date shows nothing. */
export function time(date: Date, now: Date): Html | false {
  if (Number.isNaN(date.getTime())) return false;
  const exact = date.toISOString();
  return html`<time datetime="${exact}" title="${exact.replace('T', ' ').slice(0, 19)} UTC"
    >${relativeTime(date, now)}</time
  >`;
}
