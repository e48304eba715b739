import { GatewayError } from "../canon/errors.ts"

/** Duration in seconds for which a second factor is locked. */
export const LOCK_SECONDS = 15 * 60

export function notSignedIn(): GatewayError {
  return new GatewayError("not_signed_in", "You are not signed in. Sign in to the console.")
}

/** Builds the error for wrong credentials, which is the same for a wrong password and for an unknown address. */
export function wrongCredentials(): GatewayError {
  return new GatewayError("not_signed_in", "The email address or the password is wrong.")
}

/**
 * Builds the error for a wrong password.
 * @param parameter the field that contains the password.
 */
export function wrongPassword(parameter: string): GatewayError {
  return new GatewayError("invalid_value", "The password is wrong.", { parameter })
}

export function isDisabled(): GatewayError {
  return new GatewayError("forbidden", "This user is disabled. Ask an operator.")
}

export function wrongCode(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "The code is wrong. Codes change every 30 seconds: check that your clock is right.",
    { parameter: "code" },
  )
}

export function usedCode(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "This code has been used already. Wait for the next one: codes change every 30 seconds.",
    { parameter: "code" },
  )
}

export function wrongBackupCode(): GatewayError {
  return new GatewayError("invalid_value", "The backup code is wrong, or has been used already.", {
    parameter: "code",
  })
}

export function challengeIsOver(): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "The code has expired, or too many codes were wrong. Sign in with your password again.",
  )
}

export function isLocked(): GatewayError {
  return new GatewayError(
    "too_many_attempts",
    "Too many codes were wrong. Try again in 15 minutes, or ask an operator for help.",
    { retryAfter: LOCK_SECONDS },
  )
}

export function hasSecondFactor(): GatewayError {
  return new GatewayError("conflict", "A second factor is already in use. Switch it off first.")
}

export function hasNoSecondFactor(): GatewayError {
  return new GatewayError("conflict", "No second factor was set up for this user.")
}

export function hasNoPassword(): GatewayError {
  return new GatewayError(
    "conflict",
    "You have no password here. Ask an operator for a link to set one.",
  )
}

/** Builds the error that is the same for an unknown passkey, a passkey of another domain, and a wrong signature. */
export function noSuchPasskey(cause?: unknown): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "This passkey is not registered here. Use another, or sign in with your password.",
    { cause },
  )
}

export function passkeyIsOver(): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "The passkey request has expired or was already answered. Try again.",
  )
}

export function passkeyIsNoUse(cause: unknown): GatewayError {
  return new GatewayError(
    "invalid_value",
    "The response of the browser is invalid. Try again, or use another device.",
    { parameter: "credential", cause },
  )
}

export function hasTooManyPasskeys(most: number): GatewayError {
  return new GatewayError(
    "conflict",
    `This passkey is known already, or you have ${most}: remove one that you no longer use.`,
  )
}

export function noPasskeysHere(origin: string): GatewayError {
  return new GatewayError(
    "conflict",
    `Browsers do not support passkeys at ${origin}. They require https and a host name, which server.public_url gives.`,
  )
}

export function resetIsOver(): GatewayError {
  return new GatewayError(
    "forbidden",
    "This link has been used already, or is older than a day. Ask an operator for a new link.",
  )
}

export function noSuchUser(id: string): GatewayError {
  return new GatewayError("not_found", `There is no user '${id.slice(0, 100)}'.`)
}

export function operatorExists(): GatewayError {
  return new GatewayError(
    "conflict",
    "This gateway has an operator already. Sign in, or ask them for an invitation.",
  )
}

export function isRegistered(email: string): GatewayError {
  return new GatewayError("conflict", `${email} is already registered. Sign in.`, {
    parameter: "email",
  })
}

/** Builds the error for an address that belongs to another user, without revealing that user. */
export function isAddressOfAnother(): GatewayError {
  return new GatewayError("conflict", "Another user has this email address.", {
    parameter: "email",
  })
}

export function isLastOperator(): GatewayError {
  return new GatewayError(
    "conflict",
    "This is the last operator who can sign in. Make someone else an operator first.",
  )
}
