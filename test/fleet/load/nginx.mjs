// Debian's nginx with round robin and without session affinity.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';

/** Resolves when something listens on the port. */
async function listening(port) {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise((resolve) => socket.once('connect', () => resolve(true)).once('error', () => resolve(false)));
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx does not listen');
}

/** Starts nginx; returns undefined if it is not installed. `more`: further lines of its `http` block. */
export async function startNginx(port, upstreams, more = '') {
  const program = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'barewire-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n');
  const write = (list) => writeFile(join(folder, 'nginx.conf'), `
${userInfo().uid === 0 ? 'user root;' : ''}
worker_processes 1;
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 8192; }
http {
  access_log off;
  ${more}
${temporary}
  upstream fleet {
${list.map((to) => `    server 127.0.0.1:${to} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 64;
    # Node closes an idle connection after 5 seconds: one that nginx takes up then costs a 502.
    keepalive_timeout 4s;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://fleet;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`);
  await write(upstreams);
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  await listening(port);
  return {
    /** Replaces the list of processes. Requests in progress continue; new requests go to the new list. */
    async list(others) {
      await write(others);
      child.kill('SIGHUP');
      // nginx does not report when its new worker has taken over.
      await new Promise((resolve) => setTimeout(resolve, 500));
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
