/** Returns the cookies that the browser sends next: the cookies of the request with the changes of the response. */
export function cookiesAfter(header: string | null, cookies: readonly string[]): string {
  const pairs = new Map<string, string>()
  for (const part of [...(header ?? "").split(";"), ...cookies.map((one) => one.split(";")[0])]) {
    const [key = "", ...value] = (part ?? "").split("=")
    if (key.trim() !== "") pairs.set(key.trim(), value.join("=").trim())
  }
  return [...pairs].map(([key, value]) => `${key}=${value}`).join("; ")
}
