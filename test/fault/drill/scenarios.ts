// Every scenario of the drill.
import { databases } from './databases.ts';
import { descriptors } from './descriptors.ts';
import { disks } from './disks.ts';
import { ends } from './ends.ts';
import { kills } from './kills.ts';
import { pairs } from './processes.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [...kills, ...ends, ...databases, ...disks, ...descriptors, ...pairs];
