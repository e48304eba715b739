import type { NewPasskey, PasskeyResponse } from "tollgate-contract/passkeys.ts"
import { api } from "./api/client.ts"
import { t } from "./languages/text.ts"

/** Reports whether this browser supports passkeys in the JSON form that the gateway uses. */
export function supportsPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === "function" &&
    "parseCreationOptionsFromJSON" in PublicKeyCredential &&
    "parseRequestOptionsFromJSON" in PublicKeyCredential
  )
}

/**
 * Signs in with a passkey through the browser's prompt. @throws Error with a message if the user or
 * the browser rejects.
 */
export async function signInWithPasskey(): Promise<void> {
  const { public_key: options } = await api("POST /auth/sign-in/passkey/begin", {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await explained(() => navigator.credentials.get({ publicKey }))
  const response = jsonOf(credential) as PasskeyResponse
  await api("POST /auth/sign-in/passkey", { body: { credential: response } })
}

/**
 * Creates a passkey through the browser's prompt.
 * @param password the user's password; undefined if the user has no password.
 * @throws Error with a message if the user or the browser rejects.
 */
export async function makePasskey(name: string, password: string | undefined): Promise<void> {
  const { public_key: options } = await api("POST /auth/passkeys/begin", { body: { password } })
  // The contract declares only the challenge. The gateway also sends all other fields.
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await explained(() => navigator.credentials.create({ publicKey }))
  const made = jsonOf(credential) as NewPasskey["credential"]
  await api("POST /auth/passkeys", { body: { name, credential: made } })
}

/** Returns the credential as JSON. The form depends on the request, and the gateway validates it. */
function jsonOf(credential: Credential | null): unknown {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error(t("The browser has given no passkey. Try again."))
}

const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: t("It was cancelled, or took too long. Try again."),
  InvalidStateError: t("This device has a passkey for this gateway already."),
  SecurityError: t("The browser supports no passkeys at this address."),
}

async function explained<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : ""
    throw new Error(REASONS[name] ?? t("The browser could not use a passkey."), { cause: thrown })
  }
}
