// Keeps the process alive while a promise is pending: timers of abort signals alone do not.
export async function awake<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
