// Reads a verified assertion, with the checks of the Web Browser SSO profile (SAML profiles, section 4.1.4).
import { bearer, nameFormats, spaces } from './names.ts';
import { refused } from './refusals.ts';
import { attributeOf, childrenOf, elementsOf, textOf, type XmlElement } from './xml.ts';

/** How far the clocks of the two servers may differ, in milliseconds. */
export const skewMs = 60_000;

export interface SamlAttribute {
  readonly name: string;
  readonly friendlyName?: string;
  readonly values: readonly string[];
}

/** The statements of a verified assertion about a user. */
export interface VerifiedAssertion {
  readonly assertionId: string;
  /** The id of the request that it answers. */
  readonly inResponseTo: string;
  /** The time at which it is refused as expired, including the allowed difference of clocks. */
  readonly notOnOrAfter: Date;
  readonly nameId: string;
  readonly nameIdFormat: 'email' | 'persistent' | 'unspecified';
  readonly attributes: readonly SamlAttribute[];
}

export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  readonly recipient: string;
  readonly now: Date;
}

const longest = { id: 256, nameId: 512, value: 4_096 } as const;

/** A time in UTC (SAML core, section 1.3.3). */
function timeOf(text: string): Date {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text)
    ? new Date(text.slice(0, 23).replace(/Z?$/, 'Z'))
    : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) throw refused('saml_conditions', 'A time is malformed');
  return time;
}

const optionalTime = (element: XmlElement, name: string): Date | undefined => {
  const text = attributeOf(element, name);
  return text === undefined ? undefined : timeOf(text);
};

function requiredTime(element: XmlElement, name: string): Date {
  const time = optionalTime(element, name);
  if (time === undefined) throw refused('saml_conditions', `${element.local} has no ${name}`);
  return time;
}

function checkWindow(notBefore: Date | undefined, notOnOrAfter: Date | undefined, now: Date): void {
  if (notBefore !== undefined && notBefore.getTime() > now.getTime() + skewMs) throw refused('saml_not_yet_valid');
  if (notOnOrAfter !== undefined && notOnOrAfter.getTime() + skewMs <= now.getTime()) throw refused('saml_expired');
}

const childOf = (element: XmlElement, local: string): XmlElement | undefined => {
  const [one, second] = childrenOf(element, spaces.assertion, local);
  if (second !== undefined) throw refused('saml_structure', `There are several of ${local}`);
  return one;
};

/** @returns the end of validity. */
function checkConditions(assertion: XmlElement, { audience, now }: Expected): Date {
  const conditions = childOf(assertion, 'Conditions');
  if (conditions === undefined) throw refused('saml_conditions', 'There are no Conditions');
  const notOnOrAfter = requiredTime(conditions, 'NotOnOrAfter');
  checkWindow(requiredTime(conditions, 'NotBefore'), notOnOrAfter, now);
  const restrictions = elementsOf(conditions).filter(({ space, local }) => {
    const isKnown = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'].includes(local);
    if (space !== spaces.assertion || !isKnown) throw refused('saml_conditions', 'There is an unknown condition');
    return local === 'AudienceRestriction';
  });
  if (restrictions.length === 0) throw refused('saml_audience', 'There is no AudienceRestriction');
  // Each restriction must be met; one names alternatives (SAML core, section 2.5.1.4).
  for (const restriction of restrictions)
    if (!childrenOf(restriction, spaces.assertion, 'Audience').some((one) => textOf(one) === audience))
      throw refused('saml_audience');
  return notOnOrAfter;
}

interface Confirmed {
  readonly inResponseTo: string;
  readonly notOnOrAfter: Date;
}

/** @throws {Forbidden} with the fault of the last confirmation if none is acceptable. */
function checkConfirmations(subject: XmlElement, { recipient, now }: Expected): Confirmed {
  let fault: unknown = refused('saml_confirmation');
  for (const confirmation of childrenOf(subject, spaces.assertion, 'SubjectConfirmation')) {
    if (attributeOf(confirmation, 'Method') !== bearer) continue;
    try {
      return confirmed(childOf(confirmation, 'SubjectConfirmationData'), recipient, now);
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

function confirmed(data: XmlElement | undefined, recipient: string, now: Date): Confirmed {
  if (data === undefined) throw refused('saml_confirmation', 'There is no SubjectConfirmationData');
  if (attributeOf(data, 'Recipient') !== recipient) throw refused('saml_recipient');
  if (attributeOf(data, 'NotBefore') !== undefined)
    throw refused('saml_confirmation', 'A bearer confirmation must not have NotBefore');
  const notOnOrAfter = requiredTime(data, 'NotOnOrAfter');
  checkWindow(undefined, notOnOrAfter, now);
  const inResponseTo = attributeOf(data, 'InResponseTo');
  if (inResponseTo === undefined || inResponseTo === '' || inResponseTo.length > longest.id)
    throw refused('saml_in_response_to', 'Sign-ins that the identity provider starts are not accepted');
  return { inResponseTo, notOnOrAfter };
}

const formatOf = (text: string | undefined): VerifiedAssertion['nameIdFormat'] | undefined => {
  if (text === undefined) return 'unspecified';
  return (['email', 'persistent', 'unspecified'] as const).find((name) => nameFormats[name] === text);
};

function nameOf(subject: XmlElement): Pick<VerifiedAssertion, 'nameId' | 'nameIdFormat'> {
  const element = childOf(subject, 'NameID');
  if (element === undefined) throw refused('saml_subject', 'There is no NameID');
  const nameIdFormat = formatOf(attributeOf(element, 'Format'));
  if (nameIdFormat === undefined)
    throw refused('saml_subject', 'The format of the NameID must be emailAddress, persistent or unspecified');
  const nameId = textOf(element);
  if (nameId.trim() === '' || nameId.length > longest.nameId || /\p{C}/u.test(nameId))
    throw refused('saml_subject', 'The NameID is empty, too long, or contains invisible characters');
  return { nameId, nameIdFormat };
}

function checkAuthentication(assertion: XmlElement, now: Date): void {
  const statements = childrenOf(assertion, spaces.assertion, 'AuthnStatement');
  if (statements.length === 0) throw refused('saml_authentication', 'There is no AuthnStatement');
  for (const statement of statements) {
    requiredTime(statement, 'AuthnInstant');
    const end = optionalTime(statement, 'SessionNotOnOrAfter');
    if (end !== undefined && end.getTime() + skewMs <= now.getTime())
      throw refused('saml_authentication', 'The session at the identity provider has ended');
  }
}

/** The attributes. Values with elements or more than 4,096 characters are left out. */
function attributesOf(assertion: XmlElement): readonly SamlAttribute[] {
  return childrenOf(assertion, spaces.assertion, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, spaces.assertion, 'Attribute'))
    .flatMap((attribute) => {
      const name = attributeOf(attribute, 'Name');
      const friendlyName = attributeOf(attribute, 'FriendlyName');
      if (name === undefined || name === '') return [];
      const values = childrenOf(attribute, spaces.assertion, 'AttributeValue').flatMap(({ children }) => {
        const text = children.map((child) => (typeof child === 'string' ? child : undefined));
        const value = text.includes(undefined) ? '' : text.join('');
        return value === '' || value.length > longest.value ? [] : [value];
      });
      return [{ name, values, ...(friendlyName !== undefined && { friendlyName }) }];
    });
}

/**
 * Checks and reads an assertion.
 * @param assertion parsed from the bytes that were verified. @throws {Forbidden}
 */
export function readAssertion(assertion: XmlElement, expected: Expected): VerifiedAssertion {
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  if (assertionId === '' || assertionId.length > longest.id) throw refused('saml_structure', 'The ID is too long');
  if (attributeOf(assertion, 'Version') !== '2.0') throw refused('saml_structure', 'The version must be 2.0');
  const issuer = childOf(assertion, 'Issuer');
  if (issuer === undefined || textOf(issuer) !== expected.issuer) throw refused('saml_issuer');
  const subject = childOf(assertion, 'Subject');
  if (subject === undefined) throw refused('saml_subject', 'There is no Subject');
  const ends = checkConditions(assertion, expected);
  const { inResponseTo, notOnOrAfter } = checkConfirmations(subject, expected);
  checkAuthentication(assertion, expected.now);
  const end = Math.min(ends.getTime(), notOnOrAfter.getTime()) + skewMs;
  return {
    assertionId,
    inResponseTo,
    notOnOrAfter: new Date(end),
    ...nameOf(subject),
    attributes: attributesOf(assertion),
  };
}
