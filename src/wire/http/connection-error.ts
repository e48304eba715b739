import { OperatorCause } from "../operator-cause.ts"
import { ProtocolError } from "./response-head.ts"

/** The phase in which the connection of a call to a provider failed. */
export type ConnectionPhase =
  | "resolve"
  | "connect"
  | "tls"
  | "proxy"
  | "first_byte"
  | "idle"
  | "total"

/** The code for an error that has no code, or whose code is not safe to show. */
const UNKNOWN_CODE = "UNKNOWN"

/**
 * The cause of a failed connection, for the operator. The gateway writes its message, which contains at most a host
 * name and never a credential or a query.
 */
export class ConnectionError extends OperatorCause {
  override readonly name = "ConnectionError"
  readonly phase: ConnectionPhase
  /** The code of the operating system or of OpenSSL, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string

  constructor(phase: ConnectionPhase, code: string, words: string, cause?: unknown) {
    super(code === UNKNOWN_CODE ? words : `${words} (${code})`, { cause })
    this.phase = phase
    this.code = code
  }
}

/** The state of a call when its connection failed. */
export interface FailedConnection {
  /** Whether the head of a response had arrived. */
  readonly isAnswered?: boolean
  /** Whether the environment names a proxy for the address. The connection to the proxy may then have failed. */
  readonly isProxied?: boolean
}

const UNTRUSTED = "set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it"

/** Codes of rejected certificates (OpenSSL, `X509_V_ERR_…`), with explanations. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", `it is self-signed; ${UNTRUSTED}`],
  ["SELF_SIGNED_CERT_IN_CHAIN", `its authority is not trusted; ${UNTRUSTED}`],
  ["UNABLE_TO_GET_ISSUER_CERT", `its authority is unknown; ${UNTRUSTED}`],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", `its authority is unknown; ${UNTRUSTED}`],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", `its authority is unknown; ${UNTRUSTED}`],
  ["CERT_HAS_EXPIRED", "it has expired; check the clock of this machine too"],
  ["CERT_NOT_YET_VALID", "it is not valid yet; check the clock of this machine too"],
  ["CERT_REVOKED", "it is revoked"],
  ["INVALID_PURPOSE", "it is not for servers"],
  ["INVALID_CA", "its authority may not sign certificates"],
  ["EE_KEY_TOO_SMALL", "its key is too short"],
  ["CA_MD_TOO_WEAK", "its signature is too weak"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "it is for another host name"],
  ["HOSTNAME_MISMATCH", "it is for another host name"],
  ["CERT_SIGNATURE_FAILURE", "its signature does not match, so it was changed"],
  ["CERT_REJECTED", "its authority does not permit this use"],
  ["CERT_UNTRUSTED", `its authority is not trusted; ${UNTRUSTED}`],
  ["CERT_CHAIN_TOO_LONG", "its chain is too long"],
  ["PATH_LENGTH_EXCEEDED", "its chain is longer than an authority in it allows"],
  ["PERMITTED_VIOLATION", "an authority in its chain does not allow this host name"],
  ["EXCLUDED_VIOLATION", "an authority in its chain excludes this host name"],
  ["UNHANDLED_CRITICAL_EXTENSION", "it has an unknown critical extension"],
  ["INVALID_EXTENSION", "it has an invalid extension"],
  ["CA_KEY_TOO_SMALL", "the key of its authority is too short"],
])

const NO_TLS = "the server does not use TLS on this port: is it http:// and not https://?"
const CLIENT_CERTIFICATE = "the server requires a client certificate, which is not supported"

/** Reasons for a failed handshake with explanations. OpenSSL names the reason after the protocol. */
const HANDSHAKES: readonly (readonly [RegExp, string])[] = [
  [/^(WRONG_VERSION_NUMBER|HTTP_REQUEST|HTTPS_PROXY_REQUEST|UNKNOWN_PROTOCOL)$/, NO_TLS],
  [
    /(ALERT_PROTOCOL_VERSION|^UNSUPPORTED_PROTOCOL|^WRONG_SSL_VERSION)$/,
    "the server supports no TLS version from 1.2 on",
  ],
  [/ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|NO_CERTIFICATE|UNKNOWN_CA)$/, CLIENT_CERTIFICATE],
  [
    /ALERT_HANDSHAKE_FAILURE$/,
    "the server rejected the TLS handshake: it supports none of the ciphers, or requires a client certificate",
  ],
  [/ALERT_UNRECOGNIZED_NAME$/, "the server does not serve this host name with TLS"],
  [/ALERT_/, "the server rejected the TLS handshake"],
]

/** Codes of the operating system, with the phase and an explanation. */
const CODES: ReadonlyMap<string, readonly [ConnectionPhase, string]> = new Map([
  [
    "ECONNREFUSED",
    ["connect", "the connection was refused: check the port, and whether the server runs"],
  ],
  ["EHOSTUNREACH", ["connect", "the host cannot be reached"]],
  ["ENETUNREACH", ["connect", "the network cannot be reached"]],
  ["EADDRNOTAVAIL", ["connect", "this machine has no address for the connection, or no free port"]],
  ["EMFILE", ["connect", "this process has too many open files"]],
  ["ETIMEDOUT", ["connect", "the connection timed out"]],
  [
    "UnsupportedProxyProtocol",
    [
      "proxy",
      "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names a SOCKS or other unsupported proxy: use an HTTP proxy, such as http://proxy:3128",
    ],
  ],
])

const RESET_CODES: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ConnectionClosed"])
const NAME_CODES: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NONAME",
])

/** Converts a transport error to a cause for the operator. */
export function connectionErrorOf(thrown: unknown, call: FailedConnection = {}): ConnectionError {
  if (thrown instanceof ConnectionError) return thrown
  const [phase, code, words] = described(thrown, call)
  const mayBeProxy = call.isProxied === true && (phase === "connect" || phase === "resolve")
  const text = mayBeProxy
    ? `${words} (by the proxy of HTTPS_PROXY or HTTP_PROXY, if it is used)`
    : words
  return new ConnectionError(phase, code, text, thrown)
}

function described(
  thrown: unknown,
  { isAnswered = false }: FailedConnection,
): readonly [ConnectionPhase, string, string] {
  const code = codeOf(thrown)
  const waiting = isAnswered ? "idle" : "first_byte"
  const certificate = CERTIFICATES.get(code)
  if (certificate !== undefined)
    return ["tls", code, `the certificate is not accepted: ${certificate}`]
  if (NAME_CODES.has(code))
    return ["resolve", code, `the host name ${hostIn(thrown)}cannot be resolved`]
  if (code === "ERR_PROXY_TUNNEL") return ["proxy", code, proxyWords(memberOf(thrown, "status"))]
  if (nameOf(thrown) === "TimeoutError") return [waiting, "ETIMEDOUT", "it did not answer in time"]
  if (code === "EPROTO") return ["tls", code, handshakeWords(memberOf(thrown, "message"))]
  const known = CODES.get(code)
  if (known !== undefined) return [known[0], code, known[1]]
  if (RESET_CODES.has(code))
    return [waiting, code, `the server reset the connection ${pointIn(isAnswered)}`]
  if (thrown instanceof ProtocolError) return [waiting, "EPROTOCOL", thrown.message]
  if (code === "Malformed_HTTP_Response") {
    return [waiting, "EPROTOCOL", "the response has no HTTP/1.1 status line"]
  }
  if (code.includes("CERT")) return ["tls", code, "the certificate is not accepted"]
  return [waiting, code, `the connection failed ${pointIn(isAnswered)}`]
}

/**
 * Returns the explanation of a failed handshake. The runtime's own client gives no reason, so all possible reasons are
 * listed.
 */
function handshakeWords(message: unknown): string {
  const reason = /OPENSSL_internal:(\w{1,80})$/.exec(String(message))?.[1]
  if (reason === undefined)
    return `the TLS handshake failed: either ${NO_TLS.replace(": is", " (is")}) or it rejects this client`
  const [, words] = HANDSHAKES.find(([pattern]) => pattern.test(reason)) ?? []
  return `${words ?? "the TLS handshake failed"} (${reason})`
}

function pointIn(isAnswered: boolean): string {
  return isAnswered ? "in the middle of the response" : "before a response came"
}

/** Returns the error for a proxy that requires a credential. The provider was not called. */
export function proxyRejection(status: number): ConnectionError {
  return new ConnectionError("proxy", "ERR_PROXY_AUTH", proxyWords(status))
}

function proxyWords(status: unknown): string {
  return status === 407
    ? "the proxy requires authentication (407): put the user name and the password into HTTPS_PROXY"
    : `the proxy refused to connect${typeof status === "number" ? ` (${status})` : ""}`
}

/**
 * Returns the code of an error. Only text with the form of a code is returned, because a message may contain an address
 * with its query.
 */
function codeOf(thrown: unknown): string {
  const code = memberOf(thrown, "code")
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : UNKNOWN_CODE
}

function nameOf(thrown: unknown): unknown {
  return memberOf(thrown, "name")
}

/** Returns the host name that an error contains, if it is valid. */
function hostIn(thrown: unknown): string {
  const host = memberOf(thrown, "hostname")
  return typeof host === "string" && /^[\w.-]{1,253}$/.test(host) ? `${host} ` : ""
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}
