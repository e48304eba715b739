import { CONSOLE_PATH } from "../../base-path.ts"
import { t } from "../../languages/text.ts"

/**
 * Returns the path to open after signing in. Only paths inside the console are allowed, so that a link cannot redirect
 * to another site.
 */
export function localPath(back: string | undefined): string {
  if (back === undefined) return "/"
  const base = CONSOLE_PATH.slice(0, -1)
  const inside = back === base || back.startsWith(CONSOLE_PATH) ? back.slice(base.length) : back
  const isOurs =
    /^\/(?![/\\])/.test(inside) && !/[\\\s]/.test(inside) && !inside.startsWith("/sign-in")
  return isOurs ? inside : "/"
}

const REJECTIONS: Readonly<Record<string, string>> = {
  not_invited: t(
    "No user with this email address is registered here. Ask an account owner or the operator for an invitation.",
  ),
  email_not_verified: t(
    "Your email address is not verified with the identity provider. Verify it, then sign in again.",
  ),
  account_not_linked: t(
    "This email address is registered already. Sign in as before to connect the identity provider with your user. After that, either way works.",
  ),
  disabled: t("This user is disabled. Ask the operator."),
  access_denied: t("The sign-in was cancelled."),
  upstream_error: t(
    "The identity provider does not respond. Try again later, or sign in with a password.",
  ),
  too_many_attempts: t("Too many attempts. Try again in a few minutes."),
}

/** Explains an error code from a sign-in at an issuer. */
export function rejectionText(code: string): string {
  return REJECTIONS[code] ?? t("The sign-in failed. Try again.")
}
