import type { NotificationData } from "@mantine/notifications"
import { messageOf } from "../api/api-error.ts"

/** Says that something was done. */
export function notifyDone(message: string): void {
  void show({ message, color: "gate", withBorder: true, autoClose: 4_000 })
}

/** Says that something failed, where there is no better place for it. */
export function notifyError(thrown: unknown): void {
  void show({
    title: "That did not work",
    message: messageOf(thrown),
    color: "red",
    withBorder: true,
    autoClose: 8_000,
  })
}

/** Nothing is said on most visits, so what says it is loaded when it is needed. */
async function show(notification: NotificationData): Promise<void> {
  const { notifications } = await import("@mantine/notifications")
  notifications.show(notification)
}
