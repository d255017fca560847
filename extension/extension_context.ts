/** Whether this script still belongs to an extension: one that was removed, updated or loaded anew leaves its scripts
 *  behind in pages. */
export const isContextValid = (): boolean => Boolean((chrome.runtime as typeof chrome.runtime | undefined)?.id);
