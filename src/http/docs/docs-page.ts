import { createHash } from "node:crypto"
import { type Method, methodAndPath, plainPath } from "#contract/route-name.ts"
import type { Route } from "#contract/route.ts"
import { ROUTES } from "#contract/routes.ts"
import { SERVICE_ROUTES, type ServiceRoute } from "#contract/service-routes.ts"
import { ADMIN_PATH } from "../admin/routes.ts"
import { groupOf, ROLE_WORDS } from "./openapi.ts"

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
a { color: LinkText; }
ul { list-style: none; padding: 0; }
li { padding: .5rem 0; border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
b { display: inline-block; min-width: 4.5em; font: 600 .8em ui-monospace, monospace; }
p, small { margin: .15rem 0 0; } li p { margin-left: 3.6em; } small { opacity: .75; }
@media (max-width: 40rem) { li p { margin-left: 0; } }
`

/** `/docs`: the documentation of the endpoints. It is built from the same tables as `/openapi.json`. */
export function docsPage(baseUrl: string): string {
  const listed = Object.entries<ServiceRoute>(SERVICE_ROUTES).map(([name, route]) => ({
    ...methodAndPath(name),
    route,
  }))
  const services = Object.entries(Object.groupBy(listed, ({ route }) => route.group))
  const routes = Object.entries<Route>(ROUTES).map(([name, route]) => ({
    ...methodAndPath(name),
    route,
  }))
  const resources = Object.entries(Object.groupBy(routes, ({ path }) => groupOf(path)))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate: endpoints</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Tollgate</h1>
<p>A prepaid gateway to every AI model. Set your client's base URL to <code>${escape(baseUrl)}/v1</code>
(Anthropic's: <code>${escape(baseUrl)}</code>) and send a key as <code>Authorization: Bearer sk-tg-...</code>.
Create keys in the <a href="console/">console</a>. For programs: <a href="openapi.json">openapi.json</a>.</p>
<p>Requests that cost money or change data accept the header <code>Idempotency-Key</code>. A repeated request with the same
key and body gets the same response within 24 hours, and is charged once.</p>
${services.map(([group, of]) => section(group, of.map(serviceItem))).join("\n")}
<h2>Management</h2>
<p>Below <code>${ADMIN_PATH}</code>, with the admin token as a bearer token or with a session of the console; never with a caller's key.</p>
${resources.map(([group, of = []]) => section(group, of.map(resourceItem))).join("\n")}
</body>
</html>
`
}

/** The headers of the page, which forbid scripts. */
export const DOCS_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
}

function section(title: string, items: readonly string[]): string {
  return `<h2>${escape(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`
}

function serviceItem({ method, path, route }: Listed<ServiceRoute>): string {
  const like = route.like === undefined ? "" : `Fields as in ${route.like}'s own API.`
  return item(method, plainPath(path), route.summary, route.isOpen ? "Needs no key." : like)
}

interface Listed<Declared> {
  readonly method: Method
  readonly path: string
  readonly route: Declared
}

function resourceItem({ method, path, route }: Listed<Route>): string {
  return item(method, path, route.summary, ROLE_WORDS[route.minimumRole])
}

function item(method: string, path: string, summary: string, note: string): string {
  const small = note === "" ? "" : ` <small>${escape(note)}</small>`
  return `<li><b>${method}</b><code>${escape(path)}</code><p>${marked(summary)}.${small}</p></li>`
}

/** Escapes a text. Text between backticks becomes code. */
function marked(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
