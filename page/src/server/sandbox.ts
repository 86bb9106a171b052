import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentSecurityPolicy } from 'barewire/apps';
import type { AppCsp } from 'barewire/apps';
import { guarded } from 'barewire/http';
import { proxyScript } from './sandbox-proxy.ts';

/** Limits: open documents, reports that are passed on for one document, and bytes of a report. */
const [maxDocuments, maxReports, maxReportBytes] = [64, 50, 16_384];

/** The document of one app in the sandbox. */
export interface Sandboxed {
  /** A path that cannot be guessed, below the address of the sandbox. */
  readonly path: string;
  /** Removes the document. */
  close(): void;
}

/** Serves the documents that contain apps, on a port and a host name different from the page's. */
export interface Sandbox {
  readonly port: number;
  /** Makes a document whose policy allows these domains. `onReport` gets each violation of the policy. Throws above 64 documents. */
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
 * Serves the sandbox on 127.0.0.1. A page at 127.0.0.1 loads it from `localhost`, and the other way round. Two host names are two sites,
 * which share no cookies, storage or process; two ports of one name would share cookies. Apps, Sandbox proxy: host and sandbox have
 * different origins. `pagePort`: the port of the page; only this page may embed the documents.
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
    // The page that embeds it must use the other host name: with the same name both would be one site.
    const other = hostNames.find((name) => name !== own);
    const page = `http://${other}:${pagePort()}`;
    const body = `<!doctype html><meta charset="utf-8"><title>Sandbox</title><style>html,body,iframe{margin:0;border:0;padding:0;width:100%;height:100%;display:block;overflow:hidden}</style><script>(${proxyScript})(${JSON.stringify(page)})</script>`;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff',
      // A `srcdoc` document always inherits the policy of its parent document.
      'content-security-policy': `${held.policy}; frame-ancestors ${page}; report-uri http://${host}/report/${id}`,
      'referrer-policy': 'no-referrer', 'cross-origin-resource-policy': 'cross-origin', 'origin-agent-cluster': '?1',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), display-capture=(), usb=(), serial=(), bluetooth=(), hid=(), midi=(), payment=()',
    });
    response.end(body);
  }

  // Any origin may send requests: the page is another site, and a report comes from an opaque origin. Knowing the path is the permission.
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

/** Passes on a violation of the policy. Only two members of a report are read, and both are truncated. */
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
