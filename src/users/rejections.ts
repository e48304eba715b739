import { GatewayError } from "../canon/errors.ts"

/** Duration in seconds for which a second factor is locked. */
export const LOCK_SECONDS = 15 * 60

/** Builds the errors of sign-in and of changes to users. */
export const rejections = {
  notSignedIn: () =>
    new GatewayError("not_signed_in", "You are not signed in. Sign in to the console."),
  /** Builds the error for wrong credentials, which is the same for a wrong password and for an unknown address. */
  wrongCredentials: () =>
    new GatewayError("not_signed_in", "The email address or the password is wrong."),
  /**
   * Builds the error for a wrong password.
   * @param parameter the field that contains the password.
   */
  wrongPassword: (parameter: string) =>
    new GatewayError("invalid_value", "The password is wrong.", { parameter }),
  isDisabled: () => new GatewayError("forbidden", "This user is disabled. Ask an operator."),
  wrongCode: () =>
    new GatewayError(
      "invalid_value",
      "The code is wrong. Codes change every 30 seconds: check that your clock is right.",
      { parameter: "code" },
    ),
  usedCode: () =>
    new GatewayError(
      "invalid_value",
      "This code has been used already. Wait for the next one: codes change every 30 seconds.",
      { parameter: "code" },
    ),
  wrongBackupCode: () =>
    new GatewayError("invalid_value", "The backup code is wrong, or has been used already.", {
      parameter: "code",
    }),
  challengeIsOver: () =>
    new GatewayError(
      "not_signed_in",
      "The code has expired, or too many codes were wrong. Sign in with your password again.",
    ),
  isLocked: () =>
    new GatewayError(
      "too_many_attempts",
      "Too many codes were wrong. Try again in 15 minutes, or ask an operator for help.",
      { retryAfter: LOCK_SECONDS },
    ),
  hasSecondFactor: () =>
    new GatewayError("conflict", "A second factor is already in use. Switch it off first."),
  hasNoSecondFactor: () =>
    new GatewayError("conflict", "No second factor was set up for this user."),
  hasNoPassword: () =>
    new GatewayError(
      "conflict",
      "You have no password here. Ask an operator for a link to set one.",
    ),
  /** Builds the error that is the same for an unknown passkey, a passkey of another domain, and a wrong signature. */
  noSuchPasskey: (cause?: unknown) =>
    new GatewayError(
      "not_signed_in",
      "This passkey is not registered here. Use another, or sign in with your password.",
      { cause },
    ),
  passkeyIsOver: () =>
    new GatewayError(
      "not_signed_in",
      "The passkey request has expired or was already answered. Try again.",
    ),
  passkeyIsNoUse: (cause: unknown) =>
    new GatewayError(
      "invalid_value",
      "The response of the browser is invalid. Try again, or use another device.",
      { parameter: "credential", cause },
    ),
  hasTooManyPasskeys: (most: number) =>
    new GatewayError(
      "conflict",
      `This passkey is known already, or you have ${most}: remove one that you no longer use.`,
    ),
  noPasskeysHere: (origin: string) =>
    new GatewayError(
      "conflict",
      `Browsers do not support passkeys at ${origin}. They require https and a host name, which server.public_url gives.`,
    ),
  resetIsOver: () =>
    new GatewayError(
      "forbidden",
      "This link has been used already, or is older than a day. Ask an operator for a new link.",
    ),
  noSuchUser: (id: string) =>
    new GatewayError("not_found", `There is no user '${id.slice(0, 100)}'.`),
  operatorExists: () =>
    new GatewayError(
      "conflict",
      "This gateway has an operator already. Sign in, or ask them for an invitation.",
    ),
  isRegistered: (email: string) =>
    new GatewayError("conflict", `${email} is already registered. Sign in.`, {
      parameter: "email",
    }),
  /** Builds the error for an address that belongs to another user, without revealing that user. */
  isAddressOfAnother: () =>
    new GatewayError("conflict", "Another user has this email address.", {
      parameter: "email",
    }),
  isLastOperator: () =>
    new GatewayError(
      "conflict",
      "This is the last operator who can sign in. Make someone else an operator first.",
    ),
}
