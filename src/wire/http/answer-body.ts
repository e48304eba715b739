/** What arrives first of an answer, however long it is; empty where it breaks off. */
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

/** Reads no more of an answer. */
export async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined)
}
