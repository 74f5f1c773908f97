// The chat: an incoming webhook that takes `{ "text": … }`, as most chats have one.

/** Rejects where the chat did not take it. The address is a secret, so no message names it. */
export async function post(webhook: string, text: string, eventId: string, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(webhook)) throw new Error('the setting "chat-notifier.webhook" is no URL');
  const { ok, status } = await fetch(webhook, {
    method: 'POST',
    // A server that died between telling and remembering tells again: by this key the chat may know it.
    headers: { 'content-type': 'application/json', 'idempotency-key': eventId },
    body: JSON.stringify({ text }),
    redirect: 'error',
    signal,
  });
  if (!ok) throw new Error(`the chat answered ${status}`);
}
