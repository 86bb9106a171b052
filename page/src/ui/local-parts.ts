import { formats } from 'barewire/schema';
import type { PageParts } from './page-parts.ts';
import { AddServer } from './views/add-server.tsx';
import { Credentials } from './views/credentials.tsx';
import { Doctor } from './views/doctor.tsx';
import { Login } from './views/login.tsx';

/** What the local server's page has: all. */
export const localParts: PageParts = { formats, AddServer, Credentials, Doctor, Login };
