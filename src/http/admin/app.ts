import { GatewayError } from "../../canon/errors.ts"
import { failure } from "../endpoint.ts"
import { newRequestId } from "../request-id.ts"
import { RouteTable } from "../route-table.ts"
import type { Handler, Route } from "../server.ts"
import { errorOf, errors } from "./response.ts"
import { cookieScope, keepOwnCookies } from "./browser.ts"
import { ADMIN_PATH } from "./routes.ts"
import type { AdminEndpoint, AdminFrame } from "./endpoint.ts"

const MAX_PATH_LENGTH = 200

/** Creates the handler of requests under `/admin/v1`. */
export function adminApp(endpoints: readonly AdminEndpoint[], frame: AdminFrame): Handler {
  const table = new RouteTable(endpoints.map((endpoint) => endpoint(frame)))
  const { events } = frame
  return (request, connection) => {
    const url = URL.parse(request.url)
    const found = url && table.find(request.method, url.pathname)
    if (found && "route" in found) {
      const { origin } = connection
      keepOwnCookies(request, cookieScope({ request, origin }, frame.publicUrl()))
      return found.route.handler(request, connection)
    }
    const rejected = url ? misdirected(request, url.pathname, found?.allowed) : wrongHost()
    return failure(rejected, {
      request,
      id: newRequestId(),
      path: ADMIN_PATH,
      errors,
      errorOf,
      events,
    })
  }
}

/**
 * Builds the error for a path or method that does not exist.
 * @param allowed the methods of the path; undefined if the path does not exist.
 */
function misdirected(
  { method }: Request,
  pathname: string,
  allowed: readonly [Route, ...Route[]] | undefined,
): GatewayError {
  const path = pathname.slice(0, MAX_PATH_LENGTH)
  if (allowed === undefined) {
    return new GatewayError("not_found", `Not found: ${method} ${path}. /docs lists all endpoints.`)
  }
  const [first] = allowed
  const same = allowed.filter((route) => route.path === first.path)
  const allow = same.map((route) => route.method).join(", ")
  return new GatewayError("method_not_allowed", `${path} accepts ${allow}, not ${method}.`, {
    headers: { allow },
  })
}

/** Builds the error for an invalid URL, which an invalid 'host' header causes. */
function wrongHost(): GatewayError {
  return new GatewayError("invalid_value", "The header 'host' is not a host name.", {
    parameter: "host",
  })
}
