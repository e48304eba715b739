/** Returns the first chunk of a response as text; empty if the response is cut off. */
export async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  try {
    const read = await reader?.read()
    return new TextDecoder().decode(read?.value)
  } catch {
    return ""
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

/** Discards the rest of a response. */
export async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined)
}
