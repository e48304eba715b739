import type { NotificationData } from "@mantine/notifications"
import { messageOf } from "../api/api-error.ts"
import { t } from "../languages/text.ts"

/** Confirms that an action succeeded. */
export function notifyDone(message: string): void {
  void show({ message, color: "gate", withBorder: true, autoClose: 4_000 })
}

/** Shows an error that has no better place on the page. */
export function notifyError(thrown: unknown): void {
  void show({
    title: t("Something went wrong"),
    message: messageOf(thrown),
    color: "red",
    withBorder: true,
    autoClose: 8_000,
  })
}

/** Loads the notifications on first use, because most visits do not show any. */
async function show(notification: NotificationData): Promise<void> {
  const { notifications } = await import("@mantine/notifications")
  notifications.show(notification)
}
