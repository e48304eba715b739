import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Upstream } from "../upstream.ts"
import { firstLineOf, missingFile, peerFolder } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const PACKED = join(peerFolder("nginx"), "usr/sbin/nginx")

/** Returns the path of the system's nginx, or else of the nginx that was unpacked from Debian's package. */
function program(): string {
  return Bun.which("nginx") ?? PACKED
}

/** nginx as a proxy that does not read the data that it forwards. It shows the lower limit. */
export const nginx: Subject = {
  name: "nginx",
  work: {
    language: "C",
    auth: "none",
    money: "none",
    durability: "none",
    log: "none (access log off)",
  },
  installation: {
    needs: ["apt-get", "dpkg"],
    commands: () => [
      ["apt-get", "download", "nginx"],
      ["sh", "-c", "dpkg -x nginx_*.deb ."],
    ],
  },
  missing: () => missingFile("nginx", program()),
  version: () => firstLineOf(program(), "-v").replace("nginx version: nginx/", ""),
  async prepare(upstream) {
    return prepareServer({
      name: "nginx",
      healthPath: "/healthz",
      headers: {},
      model: (model) => model,
      command(port, directory) {
        const file = join(directory, "nginx.conf")
        writeFileSync(file, settings(port, upstream, directory))
        return [program(), "-p", directory, "-e", join(directory, "error.log"), "-c", file]
      },
    })
  },
}

function settings(port: number, upstream: Upstream, directory: string): string {
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${join(directory, kind)};`)
    .join("\n")
  return `daemon off;
user root;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${join(directory, "nginx.pid")};
events { worker_connections 8192; }
http {
${folders}
  access_log off;
  client_max_body_size 64m;
  upstream vendor {
    server 127.0.0.1:${upstream.port};
    keepalive 1024;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    keepalive_requests 100000000;
    location = /healthz { return 200; }
    location / {
      proxy_pass http://vendor;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Authorization "Bearer upstream";
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`
}
