import { section, setting } from "../declare.ts"
import { address, host, network, pageOrigin } from "../addresses.ts"
import { Fault } from "../reading.ts"
import { durationOrOff, secret, text, wholeNumber } from "../scalars.ts"
import { PLAIN_SECRET } from "../secret-forms.ts"
import { list } from "../shapes.ts"

const PORT = wholeNumber(0, 65_535)

export const SERVER = section("server", {
  host: setting(host(), {
    environment: "TOLLGATE_HOST",
    needsRestart: true,
    default: "127.0.0.1",
    documentation: "address that the gateway listens on",
  }),
  port: setting(PORT, {
    environment: "TOLLGATE_PORT",
    readVariable: readPort,
    needsRestart: true,
    default: "8787",
    documentation: "port that the gateway listens on; 0: any free port",
  }),
  workers: setting(wholeNumber(1, 256), {
    environment: "TOLLGATE_WORKERS",
    needsRestart: true,
    default: "1",
    documentation: "processes that share the port and the database",
  }),
  /** Milliseconds during which the gateway is unready but still accepts requests at shutdown. */
  drainDelay: setting(durationOrOff(), {
    environment: "TOLLGATE_DRAIN_DELAY",
    default: "0",
    documentation:
      "how long a gateway that shuts down still accepts requests, while `/readyz` returns 503 and each response closes its connection, so that a load balancer has time to detect this ([restarting](../run/restart.md))",
  }),
  /** Milliseconds that running requests have to finish at shutdown; 0 ends them immediately. */
  drain: setting(durationOrOff(), {
    environment: "TOLLGATE_DRAIN",
    default: "30s",
    documentation:
      "how long running requests may take to finish on shutdown. Those still running then end with an error in the caller's format. A second signal ends the wait",
  }),
  /** Milliseconds after which a blocked event loop causes a restart; 0 for never. */
  watchdog: setting(durationOrOff(), {
    environment: "TOLLGATE_WATCHDOG",
    needsRestart: true,
    default: "10s",
    documentation: "how long a process may hang before it is restarted; `off` or `0`: never",
  }),
  /** Addresses and networks (CIDR) whose `x-forwarded-*` headers are trusted. */
  trustedProxies: setting(list(network()), {
    environment: "TOLLGATE_TRUSTED_PROXIES",
    readVariable: readNetworks,
    otherwise: "none",
    documentation:
      'addresses and ranges of the proxies in front, such as `[10.0.0.7, 10.1.0.0/16, "fd00::/8"]`, in the variable separated by commas. Only their `x-forwarded-for`, `x-forwarded-proto` and `x-forwarded-host` are trusted: for sign-in limits, sessions, the audit log, links, and the origin of pages',
  }),
})

/** Access settings, which are direct members of `Settings`. */
export const ACCESS = {
  /** The absolute address that callers use, if it differs from the host and port. */
  publicUrl: setting(address(), {
    name: "server.public_url",
    documentation:
      "the address that callers use, if it differs; it may have [a path](../run/proxy.md#under-a-path). Set it behind a proxy: links to images use the caller's `Host` only if it names a private network",
    console: {
      label: "Public address",
      help: "Where callers and browsers reach this gateway, if that is not the address it listens on.",
    },
  }),
  /** The absolute path of the folder with the database and the secrets. */
  data: setting(text(), {
    environment: "TOLLGATE_DATA",
    needsRestart: true,
    default: "./data",
    documentation: "the folder of the ledger and the secrets; back it up",
  }),
  adminToken: setting(secret(), {
    environment: "TOLLGATE_ADMIN_TOKEN",
    secret: PLAIN_SECRET,
    documentation:
      "the operator's credential for the management API, `/admin/v1/*`, as `Authorization: Bearer`. Without it only console sessions may use the API. `/docs` and `/openapi.json` list its endpoints",
  }),
  /** The origins of web pages that may read responses, such as `https://app.example.com`, or `*`. */
  corsOrigins: setting(list(pageOrigin()), {
    name: "cors.origins",
    otherwise: "none",
    documentation:
      'the origins whose pages may call `/v1/*` from a browser: `["https://app.example.com"]`, or `["*"]`. A page needs a key that everyone who opens the page can read, so give that key a small budget. For one key only: `key create --origin`',
  }),
}

function readPort(value: string): number | Fault {
  const port = PORT.readOne(value)
  if (!(port instanceof Fault) || !/^[a-z]+:\/\//.test(value)) return port
  return new Fault(
    `${port.message}. Kubernetes sets it so for a Service named tollgate: ` +
      "give the pod enableServiceLinks: false",
  )
}

/** Reads a list of networks, separated by commas or spaces. */
function readNetworks(value: string): string[] | Fault {
  const reader = network()
  const networks: string[] = []
  for (const entry of value.split(/[\s,]+/).filter((one) => one !== "")) {
    const found = reader.readOne(entry)
    if (found instanceof Fault)
      return new Fault(`${found.message}, and is not ${entry.slice(0, 50)}`)
    networks.push(found)
  }
  return networks
}
