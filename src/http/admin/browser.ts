import type { ClientInfo } from "../../users/client-info.ts"
import { jsonAnswer } from "../answers.ts"
import type { AdminContext } from "./endpoint.ts"

/** What signing in needs of a request. */
export function clientOf({
  request,
  address,
}: Pick<AdminContext, "request" | "address">): ClientInfo {
  const { headers } = request
  return { cookie: headers.get("cookie"), agent: headers.get("user-agent"), address }
}

type Reached = Pick<AdminContext, "request" | "origin">

/** Where the browser reaches this gateway: what the operator says, else trusted proxies, else the request itself. */
export function originOf({ request, origin }: Reached, publicUrl: string | undefined): string {
  return publicUrl ?? origin ?? new URL(request.url).origin
}

/** Whether cookies of this answer travel by TLS alone. */
export function isSecure(reached: Reached, publicUrl: string | undefined): boolean {
  const isTls = originOf(reached, publicUrl).startsWith("https:")
  return isTls || (publicUrl === undefined && saysTls(reached.request))
}

/** An answer with cookies. */
export function cookieAnswer(
  requestId: string,
  body: unknown,
  { cookies, isSecure }: { readonly cookies: readonly string[]; readonly isSecure: boolean },
): Response {
  return withCookies(jsonAnswer(requestId, body), cookies, isSecure)
}

/** Sends the browser on, with cookies. */
export function redirectAnswer(
  location: string,
  { cookies, isSecure }: { readonly cookies: readonly string[]; readonly isSecure: boolean },
): Response {
  return withCookies(new Response(null, { status: 302, headers: { location } }), cookies, isSecure)
}

function withCookies(response: Response, cookies: readonly string[], isSecure: boolean): Response {
  for (const cookie of cookies) {
    response.headers.append("set-cookie", isSecure ? `${cookie}; Secure` : cookie)
  }
  return response
}

/** Also believed of a proxy that is not trusted: who pretends it only makes their own cookies travel by TLS. */
function saysTls(request: Request): boolean {
  return request.headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https"
}
