// Parts that the schemas of this plugin share: the path to a repository, and members that are always there.
import { Joi } from 'hexforge/plugin';

export const path = { owner: Joi.string().required(), repo: Joi.string().required() };
export const uuid = (): Joi.StringSchema => Joi.string().guid().required();
export const text = (): Joi.StringSchema => Joi.string().allow('').required();
export const count = (): Joi.NumberSchema => Joi.number().integer().min(0).required();
export const flag = (): Joi.BooleanSchema => Joi.boolean().required();
export const time = (): Joi.StringSchema => Joi.string().isoDate().required();
export const sha = (): Joi.StringSchema => Joi.string().hex().length(40).required();
