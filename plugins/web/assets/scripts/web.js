// The entry of the scripts of pages.
import './menus.js';
import './keys.js';
import './copy.js';
import './live.js';
import './lines.js';
