import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentSecurityPolicy } from 'barewire/apps';
import type { AppCsp } from 'barewire/apps';
import { guarded } from 'barewire/http';
import { proxyScript } from './sandbox-proxy.ts';

/** Documents that are open at once; reports of one document that are told; bytes of a report. */
const [maxDocuments, maxReports, maxReportBytes] = [64, 50, 16_384];

/** One app's place in the sandbox. */
export interface Sandboxed {
  /** Below the address of the sandbox. It cannot be guessed. */
  readonly path: string;
  /** Nothing is served there any more. */
  close(): void;
}

/** The listener of the documents that hold apps: another port than the page's, and loaded by another host name. */
export interface Sandbox {
  readonly port: number;
  /** Makes a document whose policy allows these domains. `onReport` hears what the policy forbade. Throws beyond 64 documents. */
  open(csp: AppCsp, onReport: (what: string) => void): Sandboxed;
  close(): void;
}

interface Held {
  readonly policy: string;
  readonly onReport: (what: string) => void;
  reports: number;
}

const hostNames = ['127.0.0.1', 'localhost'] as const;

/**
 * Serves the sandbox on 127.0.0.1. A page at 127.0.0.1 loads it from `localhost`, and the other way: two host names are two
 * sites, so neither cookies nor storage nor a process is shared; two ports of one name would share cookies. Apps, Sandbox
 * proxy: host and sandbox have different origins. `pagePort`: of the page, which may hold these documents, and no one else.
 */
export async function serveSandbox(pagePort: () => number): Promise<Sandbox> {
  const documents = new Map<string, Held>();
  let port = 0;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers: { host = '', 'sec-fetch-dest': destination = 'iframe' } } = request;
    const refuse = (status: number): void => void response.writeHead(status, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' }).end('Refused\n');
    const [, kind, id = ''] = /^\/(app|report)\/([\w-]{43})$/.exec(url) ?? [];
    const held = documents.get(id);
    if (!held) return refuse(404);
    if (kind === 'report') return method === 'POST' ? takeReport(held, request, response) : refuse(405);
    if (method !== 'GET') return refuse(405);
    if (destination !== 'iframe') return refuse(403);
    const own = host.split(':')[0];
    // The page that may hold it has the other name: one of the same name would share its site.
    const other = hostNames.find((name) => name !== own);
    const page = `http://${other}:${pagePort()}`;
    const body = `<!doctype html><meta charset="utf-8"><title>Sandbox</title><style>html,body,iframe{margin:0;border:0;padding:0;width:100%;height:100%;display:block;overflow:hidden}</style><script>(${proxyScript})(${JSON.stringify(page)})</script>`;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff',
      // A document of `srcdoc` inherits the policy of the document that holds it, whatever it says itself.
      'content-security-policy': `${held.policy}; frame-ancestors ${page}; report-uri http://${host}/report/${id}`,
      'referrer-policy': 'no-referrer', 'cross-origin-resource-policy': 'cross-origin', 'origin-agent-cluster': '?1',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), display-capture=(), usb=(), serial=(), bluetooth=(), hid=(), midi=(), payment=()',
    });
    response.end(body);
  }

  // The page is another site, and a report comes from a document without an origin: the path is the permission.
  const server = createServer(guarded(() => ({ allowedHosts: [...hostNames], allowedOrigins: '*' }), answer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  ({ port } = server.address() as AddressInfo);

  return {
    port,
    open(csp, onReport) {
      if (documents.size >= maxDocuments) throw new Error(`${maxDocuments} apps are open already`);
      const id = randomBytes(32).toString('base64url');
      documents.set(id, { policy: contentSecurityPolicy(csp), onReport, reports: 0 });
      return { path: `/app/${id}`, close: () => void documents.delete(id) };
    },
    close() {
      documents.clear();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Tells what the policy forbade. Only two members of a report are read, and they are cut. */
function takeReport(held: Held, request: IncomingMessage, response: ServerResponse): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('error', () => {});
  request.on('data', (chunk: string) => {
    text += chunk;
    if (text.length > maxReportBytes) request.destroy();
  });
  request.on('end', () => {
    response.writeHead(204).end();
    if (++held.reports > maxReports) return;
    const report = reportOf(text);
    if (report) held.onReport(`the policy forbade ${String(report['effective-directive'] ?? report['violated-directive']).slice(0, 40)}: ${String(report['blocked-uri']).slice(0, 300)}`);
  });
}

function reportOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { 'csp-report': report } = JSON.parse(text) as { 'csp-report'?: unknown };
    return typeof report === 'object' && report !== null ? report as Readonly<Record<string, unknown>> : undefined;
  } catch {
    return undefined;
  }
}
