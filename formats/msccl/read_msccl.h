// Reads a collective algorithm from an XML file as MSCCL writes and runs them: who sends which
// chunk when, thread block by thread block.
//
//   <algo name ngpus coll nchunksperloop inplace ...>   proto, nchannels, minBytes, ... are ignored
//     <gpu id s_chunks>                                 one for each rank
//       <tb id send recv chan>                          a thread block: its two peers, -1 = none
//         <step s type srcbuf srcoff dstbuf dstoff cnt depid deps>
//
// Buffers are i(nput), o(utput) and s(cratch). A step of type
//   s     sends the source chunks            r     receives into the destination
//   rcs   receives, then sends that on       rrc   receives, adds the source, writes the
//   destination rrs   receives, adds the source, sends   rrcs  the same, and sends that on cpy
//   copies source to destination       re    adds the source to the destination nop   does nothing;
//   it is there to wait
// and begins after the step before it in its block and step `deps` of block `depid`, if not -1.
// A block may wait for several: `nop`s before the step say so.
//
// M. Cowan et al., "MSCCLang: Microsoft Collective Communication Language", ASPLOS 2023; what the
// attributes do is taken from the interpreter of github.com/Azure/msccl-executor-nccl.
#pragma once

#include <string>

#include "system/collective/explicit_plan.h"

namespace orrery {

// Throws ConfigError if the text is not XML, is not of this form, uses what is not supported, or
// describes something that does not do what it says (program_check.h). `name` is what messages call
// it.
CustomAlgorithm parse_msccl(const std::string& name, std::string text);

}  // namespace orrery
