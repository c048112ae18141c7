// Nothing wrong with it.
import { serve } from './tiny.mjs';

serve();
