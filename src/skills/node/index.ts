/**
 * `barewire/skills/node`: `readSkills` reads a folder of skills.
 *
 * @module
 */

export { readSkills } from './folder.ts';
export type { ReadSkillsOptions } from './folder.ts';
