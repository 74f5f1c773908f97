// The stores of components, in SQL and in memory.
import { rows } from 'hexforge/plugin';
import type { Component } from 'hexforge/issues';
import { componentConstraints } from '../tables-memory.ts';
import { ComponentTable } from '../tables.ts';

export const componentRows = rows<Component>(ComponentTable, componentConstraints);
