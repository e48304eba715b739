import type { FormFile } from "../../canon/form-file.ts"
import type { FormFields } from "./form-fields.ts"
import { type Form, FormReader, type FormReading, type LongFile } from "./form-reader.ts"

/** A form whose end may still be missing. */
export interface UploadInProgress {
  /** The fields that have arrived. */
  readonly fields: FormFields
  /** A long file that is still arriving, as it will be if nothing follows it; absent: the form is complete. */
  readonly file?: FormFile
  /** The complete body, in bytes: as announced, or as received. */
  readonly bytes: number
  /** Rejects as `readForm` does. */
  readonly completed: Promise<Form>
}

/**
 * Reads a form, its files into the spool. What is over a limit stops being read.
 * @throws GatewayError `unsupported_media_type`, `invalid_value`, `file_too_large`, `body_too_large`, `overloaded`.
 */
export async function readForm(request: Request, reading: FormReading): Promise<Form> {
  return await new FormReader(request, reading).read()
}

/**
 * Reads a form as `readForm` does, but does not wait for its end where a long file begins and the sender says how
 * much there is.
 * @throws GatewayError as `readForm` does.
 */
export async function receiveUpload(
  request: Request,
  reading: FormReading,
): Promise<UploadInProgress> {
  const reader = new FormReader(request, reading)
  const completed = reader.read()
  // It is reported to what awaits the form, which may do so later.
  completed.catch(() => {})
  const received: LongFile | Form = await Promise.race([reader.longFile, completed])
  const { fields, bytes } = received
  return "file" in received
    ? { fields, file: received.file, bytes, completed }
    : { fields, bytes, completed }
}
