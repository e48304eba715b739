import { databaseAddress } from "../database-address.ts"
import { signingSettings } from "./provider-credentials.ts"
import type { GoogleCredentials, ProviderSettings, Settings, VendorCredential } from "./settings.ts"

/** All that is secret in the settings. */
export function secretsOf(settings: Settings): string[] {
  const { adminToken, database, stripe, console, images, notices, metrics, telemetry, log } =
    settings
  const { bucket } = images
  const others = [
    adminToken,
    database?.url,
    database && decodeURIComponent(databaseAddress(database.url).password),
    database?.secret,
    stripe?.secretKey,
    stripe?.webhookSecret,
    metrics?.token,
    notices.mail?.smtp,
    notices.mail && passwordOf(notices.mail.smtp),
    bucket?.accessKeyId,
    bucket?.secretAccessKey,
    ...(console?.oidc.map(({ clientSecret }) => clientSecret) ?? []),
    ...Object.values(telemetry?.headers ?? {}).flatMap(headerSecrets),
    log.bucket?.place.accessKeyId,
    log.bucket?.place.secretAccessKey,
    log.http?.url,
    ...Object.values(log.http?.headers ?? {}).flatMap(headerSecrets),
  ]
  return [
    ...others.flatMap((secret) => secret || []),
    ...Object.values(settings.providers).flatMap(providerSecrets),
  ]
}

/** Messages of a server may name its password alone. */
function passwordOf(url: string): string | undefined {
  const { password } = new URL(url)
  return password === "" ? undefined : decodeURIComponent(password)
}

function providerSecrets(provider: ProviderSettings): string[] {
  return [
    ...signingSettings(provider).flatMap(credentialSecrets),
    ...Object.values(provider.headers).flatMap(headerSecrets),
  ]
}

function credentialSecrets(credential: VendorCredential): string[] {
  const { apiKey, accessKeyId, secretAccessKey, sessionToken, credentials } = credential
  const plain = [apiKey, accessKeyId, secretAccessKey, sessionToken]
  const google = credentials === undefined ? [] : googleSecrets(credentials)
  return [...plain, ...google].filter((secret) => secret !== undefined)
}

function googleSecrets(credentials: GoogleCredentials): (string | undefined)[] {
  if ("refreshToken" in credentials) return [credentials.clientSecret, credentials.refreshToken]
  if ("source" in credentials) {
    const { source } = credentials
    return "headers" in source ? Object.values(source.headers).flatMap(headerSecrets) : []
  }
  return [
    credentials.clientEmail,
    credentials.privateKeyId,
    // A message shows a part of a key line by line.
    ...credentials.privateKey.split("\n").filter((line) => !line.startsWith("-----")),
  ]
}

/** A header's value, and the credential alone where it starts with a scheme. */
function headerSecrets(value: string): string[] {
  const [, scheme, credential] = /^(\w+) (\S+)$/.exec(value) ?? []
  if (scheme === undefined || credential === undefined) return [value]
  if (scheme.toLowerCase() !== "basic") return [value, credential]
  const [, password = ""] = Buffer.from(credential, "base64").toString("utf8").split(/:(.*)/s)
  return [value, credential, password]
}
