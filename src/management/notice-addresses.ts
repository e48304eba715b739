import { isIP } from "node:net"
import * as z from "zod"
import type { NoticeSettings } from "../config/sections/notices.ts"
import type { NoticeChannel } from "../store/notices.ts"
import { isPublicAddress } from "../wire/http/public-address.ts"
import { PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"

const mailAddress = z.email().max(200)

/** Returns the reason why an address is invalid for notices, if it is. Name resolution is checked at each delivery. */
export function addressFault(
  channel: NoticeChannel,
  address: string,
  { mail, allowsPrivate }: NoticeSettings,
): string | undefined {
  if (channel === "email") {
    if (!mail)
      return "Email is not configured: the operator has to set notices.smtp and notices.from."
    return mailAddress.safeParse(address).success
      ? undefined
      : "'address' must be an email address."
  }
  try {
    const { protocol, hostname } = readWebAddress(address)
    if (allowsPrivate) return undefined
    if (protocol !== "https:") return "'address' must begin with https://."
    const host = hostname.replace(/^\[|\]$/g, "")
    const isPrivate = isIP(host) !== 0 && !isPublicAddress(host)
    return isPrivate ? "'address' is not on the public internet." : undefined
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    return `'address' cannot be used: ${error.message}.`
  }
}

/**
 * Returns the part of an address that may be shown. The path and query of an HTTP URL can be as secret as a password.
 */
export function hintOf(channel: NoticeChannel, address: string): string {
  return channel === "email" ? address : `${readWebAddress(address).origin}/…`
}
