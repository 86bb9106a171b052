/**
 * `barewire/skills`: `skills` serves skills (SEP-2640); `listSkills`, `getSkill`, `readSkill` and others read a server's.
 *
 * @module
 */

export { fileOf, getSkill, listSkills, readDirectory, readSkill, readSkillFile, skillsOf } from './client.ts';
export type { ReadSkillFile, SkillListing, SkillsClient } from './client.ts';
export { FrontMatterError, readSkillDocument } from './front-matter.ts';
export type { SkillDocument } from './front-matter.ts';
export { checkSkill, defaultSkillLimits, SkillError, skillsExtension } from './skill.ts';
export type { Skill, SkillErrorCode, SkillLimits, SkillResource } from './skill.ts';
export { skills } from './skills.ts';
export type { ServedSkills, SkillsOptions } from './skills.ts';
export type { SkillContent, SkillDefinition } from './served-files.ts';
