/**
 * The internal exports of this folder (its door), apart from the one of `transport` because it needs Node: what the command may take from inside,
 * beside what index.ts gives to everybody.
 */

export { killer, spawnOnWindows } from './windows.ts';
