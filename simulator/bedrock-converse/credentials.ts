import type { Exchange } from "../exchange.ts"
import type { VendorError } from "./errors.ts"
import { readAuthorization, signatureOf, type SignedRequest } from "./signature.ts"

/** The access key whose signatures are checked, and its secret. */
export const CHECKED_KEY = { id: "AKIDSIMULATOR", secret: "simulator-secret" }

const WRONG = "wrong"
const LONG_DATE = /^\d{8}T\d{6}Z$/

function denied(type: string, message: string): VendorError {
  return { status: 403, type, message }
}

/**
 * Returns the error for invalid credentials: missing credentials, the key `wrong`, a malformed signature, or an
 * incorrect signature of the checked key. Signatures of other keys are accepted.
 */
export function credentialError(exchange: Exchange): VendorError | undefined {
  const authorization = exchange.headers.get("authorization")
  if (authorization === null) {
    return denied("MissingAuthenticationTokenException", "Missing Authentication Token")
  }
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (bearer !== undefined) {
    const message = "Authentication failed: Please make sure your API Key is valid."
    return bearer === WRONG ? denied("AccessDeniedException", message) : undefined
  }
  const signed = readAuthorization(authorization)
  if (signed === undefined) {
    return denied(
      "IncompleteSignatureException",
      "Authorization header requires 'Credential' parameter. Authorization header requires " +
        "'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. " +
        `Authorization=${authorization.split(" ", 1)[0]}`,
    )
  }
  return checkScope(exchange, signed) ?? checkSignature(exchange, signed)
}

function checkScope({ headers }: Exchange, signed: SignedRequest): VendorError | undefined {
  const { accessKey, date, service } = signed
  if (accessKey === WRONG) {
    const message = "The security token included in the request is invalid."
    return denied("UnrecognizedClientException", message)
  }
  if (service !== "bedrock") {
    const message = "Credential should be scoped to correct service: 'bedrock'. "
    return denied("InvalidSignatureException", message)
  }
  const time = headers.get("x-amz-date") ?? ""
  if (!LONG_DATE.test(time) || !time.startsWith(date)) {
    const message = "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date"
    return denied("InvalidSignatureException", message)
  }
  if (signed.headerNames.includes("host")) return undefined
  return denied("InvalidSignatureException", "'Host' must be a 'SignedHeader' in the request.")
}

function checkSignature(exchange: Exchange, signed: SignedRequest): VendorError | undefined {
  if (signed.accessKey !== CHECKED_KEY.id) return undefined
  if (signed.signature === signatureOf(exchange, signed, CHECKED_KEY.secret)) return undefined
  return denied(
    "InvalidSignatureException",
    "The request signature we calculated does not match the signature you provided. Check your " +
      "AWS Secret Access Key and signing method. Consult the service documentation for details.",
  )
}
