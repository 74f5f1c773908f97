// The choice between light, dark and the preference of the system, kept in a cookie.
import { Joi, shape, type Cookie } from 'hexforge/plugin';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const name = 'hexforge_theme';
const yearSeconds = 31_536_000;

export const themeBody = shape({
  theme: Joi.string<Theme>()
    .valid(...themes)
    .required(),
});

export const themeCookie = (theme: Theme): Cookie => ({
  name,
  value: theme === 'system' ? '' : theme,
  sameSite: 'Lax',
  path: '/',
  maxAgeSeconds: yearSeconds,
});

/** The chosen theme. */
export const themeIn = (cookies: Readonly<Record<string, string>>): Theme =>
  themes.find((theme) => theme === cookies[name]) ?? 'system';
