/**
 * `barewire/apps`: `apps` serves apps (SEP-1865); `loadApp` reads one, and `appBridge` connects a host to it.
 *
 * @module
 */

export { apps, onlyForApps } from './apps.ts';
export type { App, AppDefinition, Apps, AppsOptions } from './apps.ts';
export { appBridge, appProtocolVersion, defaultAppLimits } from './bridge.ts';
export type { AppBridge, AppBridgeOptions, AppHostContext, AppLimits, AppPort } from './bridge.ts';
export { contentSecurityPolicy, parseOrigin } from './content-security-policy.ts';
export type { AppCsp } from './content-security-policy.ts';
export { AppError, appMimeType, appsExtension, declaresApps, showsApps } from './extension.ts';
export type { AppErrorCode } from './extension.ts';
export { loadApp } from './load.ts';
export type { LoadAppOptions, LoadedApp } from './load.ts';
export { permissionsPolicy, readAppMeta } from './resource-meta.ts';
export type { AppPermissions, AppResourceMeta, ReadAppMeta } from './resource-meta.ts';
export { appOf, isVisibleTo } from './tool-meta.ts';
export type { AppToolMeta, AppVisibility } from './tool-meta.ts';
export type { AppDisplayMode, AppHandlers } from './view-requests.ts';
