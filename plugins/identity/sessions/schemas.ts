// The JSON shapes of sign-in and registration.
import { shape, word } from 'hexforge/plugin';
import { newAccountMembers, password } from '../accounts/schemas.ts';
import { userJson } from '../profiles/schemas.ts';

export const loginBody = shape({ username: word().max(256), password: password() }).id('Login');

export const sessionJson = shape({ access_token: word().description('JWT'), user: userJson }).id('Session');

export const registrationBody = shape(newAccountMembers).options({ stripUnknown: true }).id('Registration');
