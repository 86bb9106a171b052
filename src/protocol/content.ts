import type { BaseMetadata, Icons, MetaObject, Role } from './base.ts';

/** Hints for the client on how to use or show an object. */
export interface Annotations {
  /** The intended readers. */
  audience?: Role[] | undefined;
  /** 1 is the most important, 0 is entirely optional. */
  priority?: number | undefined;
  /** Since 2025-06-18. An ISO 8601 date and time. */
  lastModified?: string | undefined;
}

/** The common members of all content blocks. */
export interface ContentBase {
  annotations?: Annotations | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

export interface TextContent extends ContentBase {
  type: 'text';
  text: string;
}

export interface ImageContent extends ContentBase {
  type: 'image';
  /** The image, base64. */
  data: string;
  mimeType: string;
}

/** Since 2025-03-26. */
export interface AudioContent extends ContentBase {
  type: 'audio';
  /** The sound, base64. */
  data: string;
  mimeType: string;
}

/** Since 2025-06-18. A link to a resource, which `resources/list` need not contain. */
export interface ResourceLink extends ContentBase, BaseMetadata, Icons {
  type: 'resource_link';
  uri: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** In bytes, before any encoding. */
  size?: number | undefined;
}

/** A resource with its contents. */
export interface EmbeddedResource extends ContentBase {
  type: 'resource';
  resource: TextResourceContents | BlobResourceContents;
}

/** A block of content in results of tools and messages of prompts. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The contents of one resource, or of a part of it. */
export interface ResourceContents {
  uri: string;
  mimeType?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

export interface TextResourceContents extends ResourceContents {
  text: string;
}

export interface BlobResourceContents extends ResourceContents {
  /** The bytes, base64. */
  blob: string;
}
